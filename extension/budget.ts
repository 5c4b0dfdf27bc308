import type { ExtensionContext } from '@earendil-works/pi-coding-agent';
import { loadAddon } from './addon.ts';
import { samplesOf } from './calibration.ts';
import type { Settings } from './settings.ts';

/** Share of the budget that an answer leaves free for later notes on changed files. */
const NOTE_SHARE = 1 / 8;
/** With less of the budget free than this, the oldest prompts' quotations leave before a new answer ... */
const LEAST_FREE_SHARE = 1 / 4;
/** ... until no more than this is left: to make more room than is needed breaks the cached prefix less often. */
const KEPT_SHARE = 1 / 2;

/** What bounds the quotations of a conversation, in calibrated tokens. */
export interface Budget {
  /** All live blocks together, at most. */
  live: number;
  /** What the conversation has room for beyond what is counted, the next answer's reserve taken off; undefined without a window. */
  room: number | undefined;
  /** The model's tokens per estimated token. */
  calibration: number;
}

/** Whether the host knows how large the conversation is: not between a compaction and the next reply. */
export function isCounted(ctx: Pick<ExtensionContext, 'getContextUsage'>): boolean {
  return typeof ctx.getContextUsage()?.tokens === 'number';
}

/** The budget of this moment; `estimate` is that of the conversation without our messages, for where the host does not know its size. Needs the addon. */
export function budgetOf(settings: Settings, ctx: Pick<ExtensionContext, 'model' | 'getContextUsage'>, estimate?: number): Budget {
  const { model } = ctx;
  const { projectTokens, outputReserve, calibration } = loadAddon().tokenLimits(
    model?.contextWindow,
    settings['context.maxProjectTokens'],
    model && samplesOf(modelKey(model)),
  );
  const usage = ctx.getContextUsage();
  const used = usage?.tokens ?? (estimate === undefined ? undefined : Math.ceil(estimate * calibration));
  const window = usage?.contextWindow || model?.contextWindow;
  const isKnown = used !== undefined && window !== undefined && outputReserve !== undefined;
  return { live: projectTokens, room: isKnown ? window - used - outputReserve : undefined, calibration };
}

/** Tells a model of a provider apart from every other. */
export function modelKey({ provider, id }: { provider: string; id: string }): string {
  return `${provider}/${id}`;
}

/** How many live tokens a new answer leaves as they are, and to how many they shrink where there are more. */
export function tokensToKeep(budget: number): { limit: number; kept: number } {
  return { limit: budget * (1 - LEAST_FREE_SHARE), kept: budget * KEPT_SHARE };
}

/** What a new answer may cost. */
export function answerTokens(live: number, budget: number): number {
  return Math.max(0, Math.floor(budget * (1 - NOTE_SHARE)) - live);
}
