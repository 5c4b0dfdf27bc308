import type { ExtensionContext, MessageEndEvent } from '@earendil-works/pi-coding-agent';
import type { Usage } from '../index.js';
import { modelKey } from './budget.ts';
import { addSample } from './calibration.ts';
import type { Session } from './session.ts';

/**
 * Completes the pending manifest with what the provider counted, and takes a sample of how it counts; no prompt waits for it.
 * A failed or uncounted reply is no sample.
 */
export function recordUsage(session: Session, { message }: Pick<MessageEndEvent, 'message'>, ctx: Pick<ExtensionContext, 'model'>): void {
  if (message.role !== 'assistant') return;
  session.amendManifest().catch((error) => session.diagnose('manifest', error));
  const id = session.pending;
  session.pending = undefined;
  const { estimate } = session;
  session.estimate = undefined;
  const { input, cacheRead, cacheWrite, output } = message.usage;
  const actual = input + cacheRead + cacheWrite;
  if (message.stopReason === 'error' || message.stopReason === 'aborted' || actual === 0) return;
  session.ledger.count();
  if (ctx.model && estimate) sample(modelKey(ctx.model), estimate, actual, session.isEphemeral);
  if (!id) return;
  session.recording = record(session, id, { inputTokens: input, cacheReadTokens: cacheRead, cacheWriteTokens: cacheWrite, outputTokens: output }).catch(
    (error) => session.diagnose('usage', error),
  );
}

function sample(model: string, estimate: Promise<number | undefined>, actual: number, isEphemeral: boolean): void {
  // It never rejects.
  void estimate.then((estimated) => estimated !== undefined && estimated > 0 && addSample(model, { estimated, actual }, isEphemeral));
}

async function record(session: Session, id: string, usage: Usage): Promise<void> {
  const taken = await (await session.project())?.recordUsage(id, usage);
  const { manifest } = session;
  if (taken || manifest?.id !== id || manifest.status === 'completed') return;
  // One that no index holds is completed here.
  const actualTokens = usage.inputTokens + (usage.cacheReadTokens ?? 0) + (usage.cacheWriteTokens ?? 0);
  session.manifest = { ...manifest, status: 'completed', actualTokens };
}
