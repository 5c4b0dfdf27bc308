import type { ExtensionContext } from '@earendil-works/pi-coding-agent';
import { loadAddon } from './addon.ts';
import { samplesOf } from './calibration.ts';
import type { Settings } from './settings.ts';

/** Share of the budget that an answer leaves free for later notes on changed files. */
const NOTE_SHARE = 1 / 8;
/** Below this share all blocks of earlier prompts leave at once: to keep the newer of them breaks the cached prefix more often than it saves. */
const LEAST_FREE_SHARE = 1 / 4;

/** What bounds the quotations of a conversation, in calibrated tokens. */
export interface Budget {
  /** All live blocks together, at most. */
  live: number;
  /** What the conversation has room for beyond what its last reply counted, the next answer's reserve taken off; undefined if the host does not know. */
  room: number | undefined;
  /** The model's tokens per estimated token. */
  calibration: number;
}

/** The budget of this moment. Needs the addon. */
export function budgetOf(settings: Settings, ctx: Pick<ExtensionContext, 'model' | 'getContextUsage'>): Budget {
  const { model } = ctx;
  const { projectTokens, outputReserve, calibration } = loadAddon().tokenLimits(
    model?.contextWindow,
    settings['context.maxProjectTokens'],
    model && samplesOf(modelKey(model)),
  );
  const usage = ctx.getContextUsage();
  const isKnown = usage !== undefined && usage.tokens !== null && usage.contextWindow > 0 && outputReserve !== undefined;
  return { live: projectTokens, room: isKnown ? usage.contextWindow - Number(usage.tokens) - outputReserve : undefined, calibration };
}

/** Tells a model of a provider apart from every other. */
export function modelKey({ provider, id }: { provider: string; id: string }): string {
  return `${provider}/${id}`;
}

/** How many live tokens may stay before a new answer, given those that are live. */
export function tokensToKeep(live: number, budget: number): number {
  return budget - live < budget * LEAST_FREE_SHARE ? 0 : live;
}

/** What a new answer may cost. */
export function answerTokens(live: number, budget: number): number {
  return Math.max(0, Math.floor(budget * (1 - NOTE_SHARE)) - live);
}
