import type { MessageEndEvent } from '@earendil-works/pi-coding-agent';
import type { Session } from './session.ts';

/** Says once that a host does not ask for the conversation before it sends it: it is too old, and nothing can be quoted in it. */
export function checkHost(session: Session, { message }: Pick<MessageEndEvent, 'message'>): void {
  if (message.role !== 'assistant' || session.wasAsked || !session.isOn) return;
  if (message.stopReason === 'error' || message.stopReason === 'aborted') return;
  session.diagnose('host', 'This version of Pi has no event context_with_system, so nothing of the project is quoted. Pi 1.0 or newer has it.');
}
