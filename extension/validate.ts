// The last look at a conversation before the hook hands it back: whatever is wrong with it, the host's own list is sent instead.
import { isDeepStrictEqual } from 'node:util';
import { type Placed, partsOf } from './placement.ts';
import { currentRequest, type Message } from './request.ts';

/** What a conversation may cost. */
export interface HardLimit {
  /** Calibrated tokens of all our messages, and of those that no reply has counted yet. */
  tokens: number;
  uncounted: number;
  /** The most that each may be. */
  live: number;
  room: number | undefined;
}

/** Why a conversation may not be sent; undefined if it may. */
export type Objection = 'order' | 'head' | 'request' | 'pairs' | 'limit';

/** Looks for what our messages would break in the host's conversation. */
export function objection(own: readonly Message[], placed: Placed, limit: HardLimit): Objection | undefined {
  const { messages, inserted, joined } = placed;
  const kept = messages.filter((message) => !inserted.has(message));
  if (kept.length !== own.length || kept.some((message, at) => message !== own[at] && !holds(message, joined.get(message), own[at]))) return 'order';
  if ([...inserted].some((message) => message.role !== 'user')) return 'order';
  if (own[0]?.role === 'system' && messages[0] !== own[0]) return 'head';
  if (!endsAsBefore(own, placed)) return 'request';
  if (messages.some((message, at) => message.role === 'toolResult' && inserted.has(messages[at - 1] as Message))) return 'pairs';
  const { tokens, uncounted, live, room } = limit;
  return tokens > live || (room !== undefined && uncounted > Math.max(0, room)) ? 'limit' : undefined;
}

/** Whether a message is a copy of the host's with at most one more text part at each end. */
function holds(message: Message, original: Message | undefined, own: Message | undefined): boolean {
  if (own === undefined || original !== own) return false;
  const strip = (of: Message) => ({ ...of, content: undefined });
  if (!isDeepStrictEqual(strip(message), strip(own))) return false;
  const [parts, before] = [partsOf(message), partsOf(own)];
  const surplus = parts.length - before.length;
  const starts = [0, 1].filter((start) => start <= surplus && surplus - start <= 1);
  return starts.some((start) => isDeepStrictEqual(parts.slice(start, start + before.length), before));
}

/** Whether the request is the last word of the user still: nothing of ours stands between it and what follows. */
function endsAsBefore(own: readonly Message[], { messages, inserted, joined }: Placed): boolean {
  const request = own.findLastIndex(({ role }) => role === 'user');
  if (request === -1) return true;
  const at = messages.findIndex((message) => message === own[request] || joined.get(message) === own[request]);
  if (at === -1) return false;
  const next = messages[at + 1];
  if (next !== undefined && inserted.has(next)) return false;
  const text = currentRequest(own.slice(request, request + 1) as Message[])?.text;
  const sent = messages[at] as Message;
  return text === undefined || textOf(sent).endsWith(text);
}

function textOf(message: Message): string {
  return partsOf(message)
    .map((part) => (part as { text?: string }).text ?? '')
    .join('');
}
