import type { ExtensionContext } from '@earendil-works/pi-coding-agent';
import { loadAddon } from './addon.ts';
import { estimate } from './calibration.ts';
import { destinationOf } from './destination.ts';
import { type GateOptions, gate, Unchecked } from './gate.ts';
import { type Session, sum } from './session.ts';
import { privacyOf } from './settings.ts';

/** What to send instead of a serialized request; undefined to leave it as it is. Never throws: the host would send it unchecked. */
export async function checkRequest(
  session: Session,
  payload: unknown,
  ctx: Pick<ExtensionContext, 'model'>,
  // Looked up within the check: a host's object that has died throws on every use.
  check: GateOptions['check'] = async (blocks) => loadAddon().checkBlocks(blocks, destinationOf(ctx.model?.baseUrl), privacyOf(session.settings)),
): Promise<unknown> {
  const failsClosed = session.settings['privacy.enabled'];
  const passed = await gate(payload, session.ledger, { check, failsClosed, milliseconds: session.settings['context.maxDelayMs'] });
  try {
    if (passed.counts.requests + passed.counts.failures > 0) session.gate = sum(passed.counts, session.gate);
    session.removed.push(
      ...session.ledger.take(({ message: { text } }) => {
        const rule = passed.forbidden.get(text);
        return rule && `gate:${rule}`;
      }),
      ...session.ledger.hide(passed.forbidden),
    );
    if (passed.failure !== undefined) session.diagnose('gate', failed(passed.failure, failsClosed));
    session.estimate = estimate(passed.payload ?? payload);
  } catch {
    // The record is not worth the request.
  }
  return passed.payload;
}

function failed(failure: unknown, failsClosed: boolean): string {
  const { code } = (failure ?? {}) as { code?: unknown };
  const why = failure instanceof Unchecked ? failure.message : typeof code === 'string' ? code : 'it failed';
  const what = failsClosed ? 'so the request was emptied (privacy is enabled)' : 'so the request was sent without them';
  return `The quotations in a request could not be checked (${why}), ${what}.`;
}
