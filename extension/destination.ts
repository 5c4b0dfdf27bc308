import type { ExtensionContext } from '@earendil-works/pi-coding-agent';
import type { Quote } from './ledger.ts';
import type { Session } from './session.ts';
import { privacyOf } from './settings.ts';

export type Destination = 'local' | 'remote';

/** Where a model is: on this machine if its address is a loopback one, else elsewhere. */
export function destinationOf(baseUrl: string | undefined): Destination {
  try {
    const { hostname } = new URL(baseUrl ?? '');
    return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname) ? 'local' : 'remote';
  } catch {
    return 'remote';
  }
}

/** For whom a call of the addon is made: where the model is, and what it may have there. */
export const audienceOf = (session: Session, ctx: Pick<ExtensionContext, 'model'>) => ({
  destination: destinationOf(ctx.model?.baseUrl),
  privacy: privacyOf(session.settings),
});

/** Takes out, at once, what a model elsewhere may not have. Before the next request the rest is proven again. */
export function follow(session: Session, destination: Destination): void {
  const moved = session.destination !== undefined && session.destination !== destination;
  session.destination = destination;
  session.dirty ||= moved;
  const { enabled, remoteAllow } = privacyOf(session.settings);
  if (!enabled || destination === 'local') return;
  const allowed = new Set<string>(remoteAllow);
  const forbids = ({ message: { snippet }, knownHash }: Quote) => {
    if (!snippet) return undefined;
    // What a changed file says of the class of text that it held before was decided for the other destination.
    return !allowed.has(snippet.classification) || (moved && knownHash !== snippet.hash) ? 'destination' : undefined;
  };
  session.removed.push(...session.ledger.take(forbids));
}
