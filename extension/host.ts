// Whether this Pi has what we need: looked for, not guessed from its version.
import type { ExtensionAPI, ExtensionContext, MessageEndEvent } from '@earendil-works/pi-coding-agent';
import type { Session } from './session.ts';

const TOO_OLD = 'so nothing of the project is quoted. It works in Pi 1.3 to 1.6.';

/** What a host lacks to even start a session, as a sentence; undefined if it has it all. */
export function lackOf(pi: Partial<ExtensionAPI>, ctx: Partial<ExtensionContext>): string | undefined {
  const name = typeof pi.getSettings !== 'function' ? 'pi.getSettings' : typeof ctx.isProjectTrusted !== 'function' ? 'ctx.isProjectTrusted' : undefined;
  return name && `This version of Pi has no ${name}, ${TOO_OLD}`;
}

/** Says once that a host does not ask for the conversation before it sends it: nothing can be quoted in it. */
export function checkHost(session: Session, { message }: Pick<MessageEndEvent, 'message'>): void {
  if (message.role !== 'assistant' || session.wasAsked || !session.isOn) return;
  if (message.stopReason === 'error' || message.stopReason === 'aborted') return;
  session.diagnose('host', `This version of Pi has no event context_with_system, ${TOO_OLD}`);
}
