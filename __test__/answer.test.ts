// One session against the real addon, with a host that answers as the real one could at its worst.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExtensionContext } from '@earendil-works/pi-coding-agent';
import { afterEach, expect, test } from 'vitest';
import { answer } from '../extension/answer.ts';
import { budgetOf } from '../extension/budget.ts';
import { addSample, calibrationSaved, estimate, forgetSamples, measure, samplesOf } from '../extension/calibration.ts';
import type { Message } from '../extension/request.ts';
import { Session } from '../extension/session.ts';
import { recordUsage } from '../extension/usage.ts';
import { countTokens } from '../index.js';
import { project, write } from './fixtures.ts';

const system = { role: 'system', content: 'prompt', timestamp: 0 } as unknown as Message;
const request: Message = { role: 'user', content: 'What does grossPrice do?', timestamp: 1 };
const window = 128_000;
const model = { provider: 'some', id: 'model', contextWindow: window, baseUrl: 'http://127.0.0.1:1' };

let session: Session | undefined;
afterEach(() => session?.close());

/** A host whose conversation has these sizes, one each time that it is asked. */
function host(sizes: (number | null)[], more: object = {}, maxDelayMs = 10_000) {
  const { root, data } = project({ 'price.ts': 'export function grossPrice(net: number) {\n  return net * 1.19;\n}\n' });
  process.env.XDG_DATA_HOME = data;
  process.env.PI_CODING_AGENT_DIR = data;
  write(data, { 'settings.json': JSON.stringify({ contextEngine: { context: { maxDelayMs } } }) });
  const lines: string[] = [];
  const ctx = {
    cwd: root,
    mode: 'rpc',
    hasUI: true,
    model,
    signal: undefined,
    ui: { setStatus: () => {}, notify: (line: string) => lines.push(line) },
    sessionManager: { getBranch: () => [], getSessionFile: () => '/session', getSessionId: () => 'session', getLeafId: () => 'leaf' },
    isProjectTrusted: () => true,
    getContextUsage: () => ({ tokens: sizes.length > 1 ? sizes.shift() : sizes[0], contextWindow: window, percent: null }),
    ...more,
  } as unknown as ExtensionContext;
  session = new Session(ctx, { contextEngine: { context: { maxDelayMs } } });
  return { session, ctx, lines };
}

test('a conversation that has outgrown its room in the meantime goes as the host has it, and the manifest says so', async () => {
  const reserve = 2_560;
  const { session, ctx, lines } = host([1_000, 1_000, window - reserve - 10]);
  expect(await answer(session, [system, request], ctx)).toBeUndefined();
  expect(lines).toEqual(['pi-context-engine: The quotations do not fit into this conversation (limit); it was sent without them.']);
  expect(session.ledger.blocks).toEqual([]);
  await session.amendManifest();
  expect(session.manifest).toMatchObject({ mode: 'fallback', modeReason: 'validation:limit', removed: [{ path: 'price.ts', reason: 'fallback:limit' }] });
  const [recorded] = (await (await session.project())?.manifests(1)) ?? [];
  expect(recorded).toMatchObject({ id: session.manifest?.id, mode: 'fallback', modeReason: 'validation:limit' });
});

test('where the host does not know the size, as after a compaction, the window alone decides', async () => {
  const { session, ctx, lines } = host([null]);
  const sent = await answer(session, [system, request], ctx);
  expect(sent?.map(({ role }) => role)).toEqual(['system', 'user', 'user']);
  expect([sent?.[0], sent?.[2]]).toEqual([system, request]);
  expect(sent?.[2]).toBe(request);
  expect(lines).toEqual([]);
  expect(session.ledger.uncounted).toBe(session.ledger.tokens);
});

test('a request whose time is up before it is answered goes as it is, and has a manifest that says so', async () => {
  // The host takes longer to say how large the conversation is than the prompt may wait.
  const getContextUsage = () => {
    for (const end = performance.now() + 11; performance.now() < end; );
    return undefined;
  };
  const { session, ctx, lines } = host([1_000], { getContextUsage }, 10);
  await session.project();
  expect(await answer(session, [system, request], ctx)).toBeUndefined();
  expect(session.manifest).toMatchObject({
    mode: 'fallback',
    modeReason: expect.stringMatching(/^not active: the (time was up|project was not open in time)$/),
  });
  expect(lines).toEqual([]);
});

test('a request that was cancelled is left alone at once', async () => {
  const { session, ctx } = host([1_000], { signal: AbortSignal.abort() });
  expect(await answer(session, [system, request], ctx)).toBeUndefined();
  expect(await session.project()).toBeUndefined();
});

const reply = (stopReason: string, input: number) =>
  ({ message: { role: 'assistant', stopReason, usage: { input, cacheRead: 30, cacheWrite: 20, output: 5 } } }) as Parameters<typeof recordUsage>[1];

test('a sample is a whole input with what was cached; failed, aborted and uncounted replies are none; a budget follows its own model', async () => {
  const { session, ctx } = host([1_000]);
  const take = async (stopReason: string, input: number, estimated = 100) => {
    session.estimate = Promise.resolve(estimated);
    recordUsage(session, reply(stopReason, input), ctx);
    await Promise.resolve();
    await Promise.resolve();
  };
  const factor = () => budgetOf(session.settings, ctx).calibration;
  await take('stop', 100);
  await take('toolUse', 100);
  await take('error', 900);
  await take('aborted', 900);
  expect([samplesOf('some/model'), factor()]).toEqual([Array(2).fill({ estimated: 100, actual: 150 }), 1]);
  await take('length', 100);
  expect(factor()).toBe(1.5);
  for (let at = 0; at < 30; at += 1) addSample('some/model', { estimated: 100, actual: 125 }, false);
  expect([samplesOf('some/model').length, factor(), samplesOf('other/model')]).toEqual([24, 1.25, []]);
});

test('what was learnt of a model outlives the process, as numbers by its name; of an ephemeral session nothing does', async () => {
  const { ctx } = host([1_000]);
  const file = join(String(process.env.PI_CODING_AGENT_DIR), 'context-engine-calibration.json');
  forgetSamples();
  addSample('some/model', { estimated: 100, actual: 130 }, true);
  await calibrationSaved();
  expect(existsSync(file)).toBe(false);
  forgetSamples();
  for (const actual of [140, 150, 160]) addSample('some/model', { estimated: 100, actual }, false);
  await calibrationSaved();
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    'some/model': [
      [100, 140],
      [100, 150],
      [100, 160],
    ],
  });
  forgetSamples();
  expect([samplesOf('some/model').length, budgetOf(session?.settings as Session['settings'], ctx).calibration]).toEqual([3, 1.5]);
  for (const damaged of ['{', '7', '{"some/model":{"a":1}}', '{"some/model":[[0,5],["a",5],[5],7,null,[100,170]]}']) {
    writeFileSync(file, damaged);
    forgetSamples();
    expect(samplesOf('some/model')).toEqual(damaged.includes('170') ? [{ estimated: 100, actual: 170 }] : []);
  }
  forgetSamples();
});

test('where the host does not know the size of the conversation it is counted here, and nothing goes beyond the room', async () => {
  const long = (share: number): Message => ({ role: 'user', content: 'word '.repeat(Math.floor((window - 2_560) * share)), timestamp: 0 });
  for (const [share, isQuoted] of [
    [0.9, true],
    [1, false],
  ] as const) {
    const { session, ctx, lines } = host([null]);
    const sent = await answer(session, [system, long(share), request], ctx);
    expect([share, sent?.length, session.ledger.blocks.length, lines]).toEqual([share, isQuoted ? 4 : undefined, isQuoted ? 1 : 0, []]);
    await session.close();
  }
});

test('the size of a conversation is that of its text; an image counts as a large one; one without bound is larger than any window', async () => {
  const words = await countTokens('hello world\ncontent');
  expect(await measure([{ content: 'hello world' }])).toBe(words);
  expect(await measure([{ content: 'hello world', image: `data:image/png;base64,${'A'.repeat(9_000)}` }])).toBe(
    (await countTokens('image\nhello world\ncontent')) + 2_000,
  );
  expect(await measure(['word '.repeat(1_000_000)])).toBe(Number.POSITIVE_INFINITY);
});

test('the estimate of a request is that of all its text; one with an image or without bound is no sample', async () => {
  expect(await estimate({ messages: [{ content: 'hello world' }] })).toBe(await countTokens('hello world\ncontent\nmessages'));
  const image = `data:image/png;base64,${'A'.repeat(2_000)}`;
  expect(await estimate({ messages: [{ content: [{ image_url: { url: image } }, { text: 'what is it?' }] }] })).toBeUndefined();
  expect(await estimate({ source: { data: 'iVBOR'.repeat(500) } })).toBeUndefined();
  expect(await estimate(['word '.repeat(1_000_000)])).toBeUndefined();
  const ring: unknown[] = [];
  ring.push(ring);
  expect(await estimate(ring)).toBeUndefined();
});
