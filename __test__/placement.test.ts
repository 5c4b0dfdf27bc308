// Where blocks stand in a conversation, how they leave it, and which message counts as the request.
import { expect, test } from 'vitest';
import { answerTokens, tokensToKeep } from '../extension/budget.ts';
import { digest, Ledger } from '../extension/ledger.ts';
import { place as placed, placesOf, sendsOneMessage } from '../extension/placement.ts';
import { currentRequest, lastToolCall, type Message, namedPaths } from '../extension/request.ts';
import { type PromptMessage, tokenLimits } from '../index.js';

const system = { role: 'system', content: 'prompt', timestamp: 0 } as unknown as Message;
const user = (text: string, timestamp: number): Message => ({ role: 'user', content: [{ type: 'text', text }], timestamp });
const image = (timestamp: number): Message => ({ role: 'user', content: [{ type: 'image', data: '', mimeType: 'image/png' }], timestamp });
const calls = (...ids: string[]) =>
  ({ role: 'assistant', content: ids.map((id) => ({ type: 'toolCall', id, name: 'edit', arguments: {} })), timestamp: 2 }) as unknown as Message;
const result = (toolCallId: string): Message => ({ role: 'toolResult', toolCallId, toolName: 'edit', content: [], isError: false, timestamp: 3 });
const quote = (path: string, hash: string, tokens = 100): PromptMessage => ({
  text: `quote of ${path} at ${hash}`,
  tokens,
  snippet: { snippetId: `id-${path}-${hash}`, path, hash, startLine: 1, endLine: 9, score: 1, reasons: [], classification: 'normal' },
});
const note: PromptMessage = { text: 'note', tokens: 20 };
const place = (...given: Parameters<typeof placed>) => placed(...given).messages;
const key = (message: Message) => currentRequest([message])?.key ?? expect.fail('no request');
const texts = (messages: Message[] | undefined) =>
  messages?.map((message) => (message.role === 'user' ? (message.content as { text: string }[]).map(({ text }) => text).join() : message.role));

test('the request is the latest user message with text; images alone are none', () => {
  expect(currentRequest([system, user('one', 1), user('two', 2)])?.text).toBe('two');
  expect(currentRequest([system, user('one', 1), image(2)])).toBeUndefined();
  expect(currentRequest([system, user('  \n', 1)])).toBeUndefined();
  expect(currentRequest([system])).toBeUndefined();
  expect(key(user('same', 1))).not.toBe(key(user('same', 2)));
  expect(key(user('one', 1))).not.toBe(key(user('two', 1)));
  expect(key(user('same', 1))).toBe(key(structuredClone(user('same', 1))));
});

test('paths that a request names are relative, and stay inside', () => {
  expect(namedPaths('Look at src/a-b/price.test.ts, ./x.ts, ../out.ts, /etc/passwd.txt and README.md!')).toEqual(['src/a-b/price.test.ts', 'README.md']);
});

test('a block stands right before its request, a note right after the last result, and both stay there', () => {
  const ledger = new Ledger();
  const request = user('request', 1);
  ledger.add({ before: key(request) }, key(request), [quote('a', '1'), quote('b', '1')]);
  const first = place([system, request], ledger.blocks, false);
  expect(texts(first)).toEqual(['system', 'quote of a at 1', 'quote of b at 1', 'request']);

  const own = [system, request, calls('c1', 'c2'), result('c1'), result('c2')];
  ledger.add({ after: lastToolCall(own) ?? '' }, key(request), [note, quote('a', '2')]);
  const second = place(own, ledger.blocks, false);
  expect(texts(second)).toEqual([...(texts(first) ?? []), 'assistant', 'toolResult', 'toolResult', 'note', 'quote of a at 2']);
  const third = place([...own, calls('c3'), result('c3')], ledger.blocks, false);
  expect(JSON.stringify(third?.slice(0, second?.length))).toBe(JSON.stringify(second));
  const one = place(own, ledger.blocks, true);
  expect(one.map(({ role }) => role)).toEqual(own.map(({ role }) => role));
  expect(texts(one)?.[1]).toBe('quote of a at 1\n\nquote of b at 1,request');
  expect((one.at(-1) as { content: unknown[] }).content).toEqual([{ type: 'text', text: 'note\n\nquote of a at 2' }]);
});

test('blocks leave with their place, and by whole prompts when the budget is reached', () => {
  const ledger = new Ledger();
  const [one, two] = [user('one', 1), user('two', 2)];
  ledger.add({ before: key(one) }, key(one), [quote('a', '1'), quote('b', '1')]);
  ledger.add({ after: 'c1' }, key(one), [note]);
  ledger.add({ before: key(two) }, key(two), [quote('c', '1')]);
  expect(ledger.tokens).toBe(320);
  expect(ledger.keepTokens(320)).toEqual([]);
  expect(ledger.tokens).toBe(320);
  const gone = (path: string) => ({ snippetId: `id-${path}-1`, path, classification: 'normal', reason: 'budget' });
  expect(ledger.keepTokens(319)).toEqual([gone('a'), gone('b')]);
  expect(ledger.held().map(({ path }) => path)).toEqual(['c']);
  ledger.keepPlaced(placesOf([system, one]));
  expect(ledger.blocks).toEqual([]);
});

test('the oldest prompts leave in one step that makes more room than is needed; what fits stays', () => {
  const ledger = new Ledger();
  for (const at of [1, 2, 3, 4, 5]) ledger.add({ before: `r${at}` }, `r${at}`, [quote(`${at}`, '1')]);
  const left = () => ledger.held().map(({ path }) => path);
  expect([ledger.keepTokens(500, 200), left()]).toEqual([[], ['1', '2', '3', '4', '5']]);
  expect(ledger.keepTokens(499, 200).map(({ path }) => path)).toEqual(['1', '2', '3']);
  expect(left()).toEqual(['4', '5']);
});

test('the oldest is the one that stands first, whatever the order in which blocks were put back', () => {
  const ledger = new Ledger();
  const [one, two] = [user('one', 1), user('two', 2)];
  ledger.add({ before: key(two) }, key(two), [quote('b', '1')]);
  ledger.restore([{ anchor: { before: key(one) }, request: key(one), quotes: [{ message: quote('a', '1'), knownHash: '1' }] }]);
  ledger.keepPlaced(placesOf([system, one, two]));
  expect(ledger.held().map(({ path }) => path)).toEqual(['a', 'b']);
  expect(ledger.wasEmitted(quote('a', '1').text)).toBe(true);
});

test('a note that points to what the conversation holds leaves with any of it', () => {
  const ledger = new Ledger();
  const [a, read] = [
    { path: 'a', hash: '1', startLine: 1, endLine: 9 },
    { path: 'r', hash: '3', startLine: 2, endLine: 4 },
  ];
  const reference: PromptMessage = { text: 'reference', tokens: 30, refersTo: [a, read] };
  ledger.add({ before: 'r1' }, 'r1', [quote('a', '1')]);
  ledger.add({ before: 'r2' }, 'r2', [quote('b', '1'), reference]);
  const isThere = () => ledger.live('reference') !== undefined;
  ledger.keepReferences([read]);
  expect(isThere()).toBe(true);
  ledger.keepReferences([{ ...read, endLine: 3 }]);
  expect(isThere()).toBe(false);
  ledger.add({ before: 'r2' }, 'r2', [reference]);
  ledger.keepTokens(200, 150);
  ledger.keepReferences([read]);
  expect([isThere(), ledger.held().map(({ path }) => path)]).toEqual([false, ['b']]);
});

test('what a check takes out of results of tools is told once, and again after it was shown again', () => {
  const ledger = new Ledger();
  const shown = { digest: digest('text'), classification: 'sensitive', snippetId: 'id', path: 'rate.ts' } as const;
  ledger.show([shown]);
  const taken = () =>
    ledger.hide(
      new Map([
        ['text', 'privacy'],
        ['another', 'form'],
      ]),
    );
  const told = [{ snippetId: 'id', path: 'rate.ts', classification: 'sensitive', reason: 'gate:privacy' }];
  expect([taken(), taken(), ledger.hide(new Map()), taken()]).toEqual([told, [], [], told]);
  expect(ledger.shownClass('text')).toBe('sensitive');
  ledger.allowShown(false);
  expect(ledger.shownClass('text')).toBeUndefined();
  expect([ledger.hide(new Map()), ledger.hide(new Map([['text', 'gone']]))]).toEqual([[], [{ ...told[0], reason: 'gate:gone' }]]);
});

test('what is held is what still holds; a change that was told is the known state; what is revoked leaves at once', () => {
  const ledger = new Ledger();
  ledger.add({ before: 'r' }, 'r', [quote('a', '1'), quote('b', '1'), quote('c', '1')]);
  ledger.apply({
    changed: [
      { path: 'a', oldHash: '1', newHash: '2' },
      { path: 'c', oldHash: '1' },
    ],
    revoked: [{ snippetId: 'id-b-1', path: 'b', rule: 'secret' }],
    messages: [],
  });
  ledger.add({ after: 'c1' }, 'r', [note, quote('a', '2')]);
  expect(ledger.held()).toEqual([{ path: 'a', hash: '2', startLine: 1, endLine: 9 }]);
  expect(ledger.quoted().map(({ snippetId, hash }) => [snippetId, hash])).toEqual([
    ['id-a-1', '2'],
    ['id-a-2', '2'],
  ]);
  expect(ledger.blocks.flatMap(({ quotes }) => quotes.map(({ message }) => message.text))).not.toContain('quote of b at 1');
});

test('the window lowers the budget; room is made in one step, not in trickles', () => {
  const budget = (window: number, setting: number) => tokenLimits(window, setting);
  expect([16_000, 40_000, 128_000, 200_000, 1_000_000].map((window) => budget(window, 20_000).projectTokens)).toEqual([4_000, 4_000, 12_000, 20_000, 20_000]);
  expect([16_000, 200_000, 1_000_000].map((window) => budget(window, 20_000).outputReserve)).toEqual([1_024, 4_000, 8_192]);
  expect(tokenLimits(undefined, 500)).toEqual({ projectTokens: 500, calibration: 1, samples: 24 });
  expect(tokensToKeep(12_000)).toEqual({ limit: 9_000, kept: 6_000 });
  expect([answerTokens(0, 12_000), answerTokens(6_000, 12_000), answerTokens(12_000, 12_000)]).toEqual([10_500, 4_500, 0]);
});

test('known providers that want turns to alternate get one message; the setting decides otherwise', () => {
  expect([sendsOneMessage('auto', 'openai-completions'), sendsOneMessage('auto', 'bedrock-converse-stream'), sendsOneMessage('auto', undefined)]).toEqual([
    false,
    true,
    false,
  ]);
  expect([sendsOneMessage('always', 'openai-completions'), sendsOneMessage('never', 'bedrock-converse-stream')]).toEqual([true, false]);
});
