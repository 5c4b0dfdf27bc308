import type { ExtensionContext } from '@earendil-works/pi-coding-agent';

/** Share of the budget that an answer leaves free for later notes on changed files. */
const NOTE_SHARE = 1 / 8;
/** Below this share the oldest prompts' blocks leave; down to the second one at once, so that the cached prefix breaks seldom. */
const LEAST_FREE_SHARE = 1 / 4;
const KEPT_SHARE = 1 / 2;

/** The most tokens that all live blocks of a conversation may have together. */
export function projectTokens(contextWindow: number | undefined, setting: number): number {
  const byWindow =
    contextWindow === undefined || contextWindow > 262_144 ? setting : contextWindow > 131_072 ? 20_000 : contextWindow > 40_000 ? 12_000 : 4_000;
  return Math.min(byWindow, setting);
}

/** Tokens that the conversation has room for beyond what it holds, with the answer's reserve taken off; undefined if the host does not know. */
export function roomTokens(ctx: ExtensionContext): number | undefined {
  const usage = ctx.getContextUsage();
  if (!usage || usage.tokens === null || !usage.contextWindow) return undefined;
  const reserve = Math.min(8_192, Math.max(1_024, Math.floor(usage.contextWindow / 50)));
  return usage.contextWindow - usage.tokens - reserve;
}

/** How many live tokens may stay before a new answer, given those that are live. */
export function tokensToKeep(live: number, budget: number): number {
  return budget - live < budget * LEAST_FREE_SHARE ? Math.floor(budget * KEPT_SHARE) : live;
}

/** What a new answer may cost. */
export function answerTokens(live: number, budget: number): number {
  return Math.max(0, Math.floor(budget * (1 - NOTE_SHARE)) - live);
}
