// The last look at a conversation: what is placed is sound for any conversation, and whatever breaks it is found.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Ledger } from '../extension/ledger.ts';
import { type Placed, place } from '../extension/placement.ts';
import { keyOf, type Message } from '../extension/request.ts';
import { objection } from '../extension/validate.ts';

const system = { role: 'system', content: 'prompt', timestamp: 0 } as unknown as Message;
const user = (text: string, timestamp: number, asText = false): Message => ({ role: 'user', content: asText ? text : [{ type: 'text', text }], timestamp });
const calls = (ids: string[]) =>
  ({ role: 'assistant', content: ids.map((id) => ({ type: 'toolCall', id, name: 'edit', arguments: {} })), timestamp: 2 }) as unknown as Message;
const result = (toolCallId: string): Message => ({ role: 'toolResult', toolCallId, toolName: 'edit', content: [], isError: false, timestamp: 3 });
const WIDE = { tokens: 0, uncounted: 0, live: 1, room: undefined };

/** A conversation of prompts, each with rounds of tool calls, and a block at some of the places that the engine uses. */
const conversation = fc
  .array(
    fc.record({
      text: fc.string({ minLength: 1 }),
      asText: fc.boolean(),
      rounds: fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 3 }),
      before: fc.nat(2),
      after: fc.nat(2),
    }),
    {
      minLength: 1,
      maxLength: 5,
    },
  )
  .map((prompts) => {
    const own: Message[] = [system];
    const ledger = new Ledger();
    const messages = (count: number, at: string) => Array.from({ length: count }, (_, index) => ({ text: `block ${at} ${index}`, tokens: 1 }));
    prompts.forEach(({ text, asText, rounds, before, after }, at) => {
      const request = user(text, at, asText) as Extract<Message, { role: 'user' }>;
      own.push(request);
      ledger.add({ before: keyOf(request) }, keyOf(request), messages(before, `${at}`));
      rounds.forEach((count, round) => {
        const ids = Array.from({ length: count }, (_, index) => `${at}-${round}-${index}`);
        own.push(calls(ids), ...ids.map(result));
        ledger.add({ after: ids.at(-1) as string }, keyOf(request), messages(after, ids.at(-1) as string));
      });
    });
    return { own, ledger };
  });

test('what is placed is sound, for any conversation: every message is there, none of ours breaks a pair, one message keeps the roles', () => {
  fc.assert(
    fc.property(conversation, fc.boolean(), ({ own, ledger }, oneMessage) => {
      const before = structuredClone(own);
      const placed = place(own, ledger.blocks, oneMessage);
      expect(objection(own, placed, WIDE)).toBeUndefined();
      expect(own).toEqual(before);
      if (oneMessage) expect(placed.messages.map(({ role }) => role)).toEqual(own.map(({ role }) => role));
      else expect(placed.messages.filter((message) => !placed.inserted.has(message))).toEqual(own);
      const sent = JSON.stringify(placed.messages);
      for (const block of ledger.blocks) for (const { message } of block.quotes) expect(sent.split(JSON.stringify(message.text).slice(1, -1))).toHaveLength(2);
    }),
  );
});

test('whatever is taken, moved or altered of the host is found, for any conversation', () => {
  fc.assert(
    fc.property(conversation, fc.boolean(), fc.nat(), fc.constantFrom('drop', 'copy', 'swap', 'repeat'), ({ own, ledger }, oneMessage, where, how) => {
      const placed = place(own, ledger.blocks, oneMessage);
      const hosts = placed.messages.flatMap((message, at) => (placed.inserted.has(message) ? [] : [at]));
      const at = hosts[where % hosts.length] as number;
      const other = hosts[(where + 1) % hosts.length] as number;
      const { messages } = placed;
      if (how === 'drop') messages.splice(at, 1);
      if (how === 'repeat') messages.splice(at, 0, messages[at] as Message);
      if (how === 'copy') messages[at] = { ...(messages[at] as Message) };
      if (how === 'swap') [messages[at], messages[other]] = [messages[other] as Message, messages[at] as Message];
      expect(objection(own, placed, WIDE)).toBe('order');
    }),
  );
});

const sound = (): { own: Message[]; placed: Placed; ours: Message } => {
  const own = [system, user('request', 1), calls(['a', 'b']), result('a'), result('b')];
  const ours = user('block', 1);
  return { own, ours, placed: { messages: [...own], inserted: new Set([ours]), joined: new Map() } };
};

test.each([
  ['head', 0],
  ['request', 2],
  ['pairs', 3],
  ['pairs', 4],
  [undefined, 1],
  [undefined, 5],
] as const)('a message of ours that breaks %s, at %i', (wrong, at) => {
  const { own, ours, placed } = sound();
  placed.messages.splice(at, 0, ours);
  expect(objection(own, placed, WIDE)).toBe(wrong);
});

test('a message that is ours speaks as a user, and a joined one holds the whole of the host', () => {
  const { own, placed } = sound();
  const joined = (content: unknown, more = {}) => {
    const copy = { ...own[1], content, ...more } as Message;
    return objection(own, { ...placed, messages: own.map((message, at) => (at === 1 ? copy : message)), joined: new Map([[copy, own[1] as Message]]) }, WIDE);
  };
  const part = (text: string) => ({ type: 'text', text });
  expect(joined([part('block'), part('request')])).toBeUndefined();
  expect(joined([part('block'), part('other')])).toBe('order');
  expect(joined([part('block')])).toBe('order');
  expect(joined([part('one'), part('two'), part('request')])).toBe('order');
  expect(joined([part('block'), part('request')], { role: 'assistant' })).toBe('order');
  expect(joined([part('request'), part('block')])).toBe('request');
  const speaker = { ...system } as Message;
  placed.inserted.add(speaker);
  placed.messages.push(speaker);
  expect(objection(own, placed, WIDE)).toBe('order');
});

test('the hard limit: all that is live, and what is new in the room that is left', () => {
  const { own, placed } = sound();
  const limit = (tokens: number, uncounted: number, live: number, room: number | undefined) => objection(own, placed, { tokens, uncounted, live, room });
  expect([limit(10, 10, 10, 10), limit(11, 0, 10, 10), limit(10, 5, 10, 4), limit(10, 0, 10, -5), limit(10, 10, 10, undefined)]).toEqual([
    undefined,
    'limit',
    'limit',
    undefined,
    undefined,
  ]);
});
