import type { Anchor, Block } from './ledger.ts';
import { keyOf, type Message } from './request.ts';
import type { Settings } from './settings.ts';

/** APIs that want user and assistant to take turns: there a block becomes part of the message that it stands beside. */
const ALTERNATING_APIS = new Set(['bedrock-converse-stream', 'mistral-conversations']);

/** Whether the quotations for a prompt are sent as one message. */
export function sendsOneMessage(setting: Settings['context.oneMessage'], api: string | undefined): boolean {
  return setting === 'always' || (setting === 'auto' && api !== undefined && ALTERNATING_APIS.has(api));
}

/** Tells which places the conversation has, and their order. */
export function placesOf(messages: Message[]): (anchor: Anchor) => number | undefined {
  const users = new Map<string, number>();
  const calls = new Map<string, number>();
  messages.forEach((message, at) => {
    if (message.role === 'user') users.set(keyOf(message), at);
    if (message.role === 'toolResult') calls.set(message.toolCallId, at);
  });
  return (anchor) => ('before' in anchor ? users.get(anchor.before) : calls.get(anchor.after));
}

/** A conversation with blocks in it. */
export interface Placed {
  messages: Message[];
  /** The messages that are ours alone. */
  inserted: Set<Message>;
  /** Messages that hold one of the host's and a block, with the host's. */
  joined: Map<Message, Message>;
}

/** The host's messages with the blocks at their places. With `oneMessage` roles alternate as they did without: a block joins the message at its place. */
export function place(own: Message[], blocks: readonly Block[], oneMessage: boolean): Placed {
  const before = new Map<string, Block[]>();
  const after = new Map<string, Block[]>();
  for (const block of blocks) {
    const [map, key] = 'before' in block.anchor ? [before, block.anchor.before] : [after, block.anchor.after];
    map.set(key, [...(map.get(key) ?? []), block]);
  }
  const placed: Placed = { messages: [], inserted: new Set(), joined: new Map() };
  const textsAt = (map: Map<string, Block[]>, key: string) => {
    const texts = (map.get(key) ?? []).flatMap((block) => block.quotes.map(({ message }) => message.text));
    map.delete(key);
    return texts;
  };
  const insert = (texts: string[], timestamp: number) => {
    for (const text of texts) {
      const message: Message = { role: 'user', content: [{ type: 'text', text }], timestamp };
      placed.inserted.add(message);
      placed.messages.push(message);
    }
  };
  const add = (message: Message, first: string[], last: string[]) => {
    if (oneMessage && first.length + last.length > 0) {
      const joined = join(message, first, last);
      placed.joined.set(joined, message);
      placed.messages.push(joined);
      return;
    }
    insert(first, message.timestamp);
    placed.messages.push(message);
    insert(last, message.timestamp);
  };
  for (const message of own) {
    if (message.role === 'user') add(message, textsAt(before, keyOf(message)), []);
    else if (message.role === 'toolResult') add(message, [], textsAt(after, message.toolCallId));
    else placed.messages.push(message);
  }
  return placed;
}

/** A copy of a message with texts before and after its own parts. */
function join(message: Message, first: string[], last: string[]): Message {
  const part = (texts: string[]) => (texts.length > 0 ? [{ type: 'text' as const, text: texts.join('\n\n') }] : []);
  return { ...message, content: [...part(first), ...partsOf(message), ...part(last)] } as Message;
}

/** The parts of a message's content; a bare text is one. */
export function partsOf(message: Message): unknown[] {
  const content = (message as { content?: unknown }).content;
  return typeof content === 'string' ? [{ type: 'text', text: content }] : Array.isArray(content) ? content : [];
}
