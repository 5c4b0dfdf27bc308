import type { Anchor, Block } from './ledger.ts';
import { keyOf, type Message } from './request.ts';

/** APIs that want user and assistant to take turns: there a block is one message. */
const ALTERNATING_APIS = new Set(['bedrock-converse-stream', 'mistral-conversations']);

export type OneMessage = 'auto' | 'always' | 'never';

/** Whether a block's messages are sent as one. */
export function sendsOneMessage(setting: OneMessage, api: string | undefined): boolean {
  return setting === 'always' || (setting === 'auto' && api !== undefined && ALTERNATING_APIS.has(api));
}

/** Tells which places the conversation has. */
export function placesOf(messages: Message[]): (anchor: Anchor) => boolean {
  const users = new Set<string>();
  const calls = new Set<string>();
  for (const message of messages) {
    if (message.role === 'user') users.add(keyOf(message));
    if (message.role === 'toolResult') calls.add(message.toolCallId);
  }
  return (anchor) => ('before' in anchor ? users.has(anchor.before) : calls.has(anchor.after));
}

/** The host's messages with the blocks at their places; undefined if the result would break the conversation. */
export function place(own: Message[], blocks: readonly Block[], oneMessage: boolean): Message[] | undefined {
  const before = new Map<string, Block[]>();
  const after = new Map<string, Block[]>();
  for (const block of blocks) {
    const [map, key] = 'before' in block.anchor ? [before, block.anchor.before] : [after, block.anchor.after];
    map.set(key, [...(map.get(key) ?? []), block]);
  }
  const inserted = new Set<Message>();
  const placed: Message[] = [];
  const insert = (map: Map<string, Block[]>, key: string, timestamp: number) => {
    for (const block of map.get(key) ?? []) {
      const texts = block.quotes.map(({ message }) => message.text);
      for (const text of oneMessage ? [texts.join('\n\n')] : texts) {
        const message: Message = { role: 'user', content: [{ type: 'text', text }], timestamp };
        inserted.add(message);
        placed.push(message);
      }
    }
    map.delete(key);
  };
  for (const message of own) {
    if (message.role === 'user') insert(before, keyOf(message), message.timestamp);
    placed.push(message);
    if (message.role === 'toolResult') insert(after, message.toolCallId, message.timestamp);
  }
  return isIntact(own, placed, inserted) ? placed : undefined;
}

/** Whether the host's messages are all there, the same and in order, its head stays first, and no result is parted from its call. */
function isIntact(own: Message[], placed: Message[], inserted: Set<Message>): boolean {
  const kept = placed.filter((message) => !inserted.has(message));
  if (kept.length !== own.length || kept.some((message, at) => message !== own[at])) return false;
  if (own[0]?.role === 'system' && placed[0] !== own[0]) return false;
  return placed.every((message, at) => {
    const previous = placed[at - 1];
    return message.role !== 'toolResult' || previous === undefined || !inserted.has(previous);
  });
}
