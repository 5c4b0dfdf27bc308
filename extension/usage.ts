import type { MessageEndEvent } from '@earendil-works/pi-coding-agent';
import type { Session } from './session.ts';

/** Completes the pending manifest with what the provider counted; no prompt waits for it. A failed or uncounted reply is no sample. */
export function recordUsage(session: Session, { message }: Pick<MessageEndEvent, 'message'>): void {
  if (message.role !== 'assistant') return;
  session.amendManifest().catch((error) => session.diagnose('manifest', error));
  const id = session.pending;
  if (!id) return;
  session.pending = undefined;
  const { input, cacheRead, cacheWrite, output } = message.usage;
  if (message.stopReason === 'error' || message.stopReason === 'aborted' || input + cacheRead + cacheWrite === 0) return;
  const usage = { inputTokens: input, cacheReadTokens: cacheRead, cacheWriteTokens: cacheWrite, outputTokens: output };
  session.recording = session
    .project()
    .then((project) => project?.recordUsage(id, usage))
    .catch((error) => session.diagnose('usage', error));
}
