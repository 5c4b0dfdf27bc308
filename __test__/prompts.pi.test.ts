// What counts as a request, how the models count, and which sessions keep what: in the real Pi.
import { cpSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { Manifest } from '../index.js';
import { freshForEach, place, provider } from './pi/fixture.ts';
import { PACKAGE, report, runPi, startRpc, untilReady } from './pi/host.ts';
import { textOf } from './pi/provider.ts';

const price = (name: string) => `/** Adds the tax. */\nexport function ${name}(net: number): number {\n  return net * 1.19;\n}\n`;
const FILES = { 'gross.ts': price('grossPrice'), 'stock.ts': price('stockCount') };
const GROSS = 'What does grossPrice do?';
const STOCK = 'What does stockCount do?';
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

freshForEach(FILES);

const options = (more = {}) => ({ place, providerUrl: provider.url, ...more });
const paths = (at: number) =>
  (provider.bodies[at] ?? []).flatMap((message) => [...textOf(message).matchAll(/^\[DS4 PROJECT SOURCE — .*\nPath: "(.*)"/gm)].map((found) => found[1]));
const roles = (at: number) => provider.bodies[at]?.map(({ role }) => role);

test.each(['steer', 'follow_up'])('a request that is sent while the agent works (%s) is answered like a typed one', async (type) => {
  const pi = startRpc(options());
  await untilReady(pi);
  provider.play([{ before: () => pi.send({ type, message: STOCK }), toolCalls: [{ name: 'bash', arguments: { command: 'sleep 1' } }] }]);
  await pi.prompt(GROSS);
  await pi.close();
  expect(paths(0)).toEqual(['gross.ts']);
  const last = provider.bodies.length - 1;
  expect(textOf(provider.bodies[last]?.at(-1))).toBe(STOCK);
  expect(paths(last)).toEqual(['gross.ts', 'stock.ts']);
});

/** This package with an extension around it. */
function packageWith(source: string): string {
  const folder = join(place.root, 'with');
  for (const name of ['package.json', 'extension']) cpSync(join(PACKAGE, name), join(folder, name), { recursive: true });
  writeFileSync(join(folder, 'index.js'), `module.exports = require(${JSON.stringify(join(PACKAGE, 'index.js'))});`);
  cpSync(join(folder, 'extension/index.ts'), join(folder, 'extension/own.ts'));
  writeFileSync(join(folder, 'extension/index.ts'), `import own from './own.ts';\nexport default function (pi) {\n${source}\n}\n`);
  return folder;
}

test('a prompt that an extension sends is a request; a command is none', async () => {
  const extension = packageWith(`own(pi);
    pi.registerCommand('ask', { handler: async () => { pi.sendUserMessage(${JSON.stringify(GROSS)}); } });
    pi.registerCommand('grossPrice', { handler: async () => {} });`);
  const pi = startRpc(options({ extension }));
  await untilReady(pi);
  await pi.prompt('/grossPrice');
  expect(provider.bodies).toEqual([]);
  const from = pi.records.length;
  await pi.request({ type: 'prompt', message: '/ask' });
  await pi.waitFor(({ type }) => type === 'agent_settled', from);
  await pi.close();
  expect(paths(0)).toEqual(['gross.ts']);
});

test('images alone retrieve nothing', async () => {
  const pi = startRpc(options());
  await untilReady(pi);
  const from = pi.records.length;
  await pi.request({ type: 'prompt', message: '', images: [{ type: 'image', data: PIXEL, mimeType: 'image/png' }] });
  await pi.waitFor(({ type }) => type === 'agent_settled', from);
  await pi.prompt('/context manifest');
  await pi.close();
  expect(provider.bodies).toHaveLength(1);
  expect(paths(0)).toEqual([]);
});

test.each([
  ['event context_with_system', "name === 'on' ? (event, handle) => event !== 'context_with_system' && on(event, handle) : target[name]"],
  ['pi.getSettings', "name === 'getSettings' ? undefined : target[name]"],
])('a host without %s: Pi works, and one line says what is missing', async (what, get) => {
  const extension = packageWith(`const on = pi.on.bind(pi);\nown(new Proxy(pi, { get: (target, name) => (${get}) }));`);
  const pi = await runPi({ ...options({ extension }), mode: 'print', prompts: [GROSS, STOCK] });
  expect(pi).toMatchObject({ code: 0, stdout: 'done\n' });
  expect(pi.stderr).toBe(`pi-context-engine: This version of Pi has no ${what}, so nothing of the project is quoted. It works in Pi 1.3 to 1.6.\n`);
  expect([roles(0), roles(1)]).toEqual([
    ['system', 'user'],
    ['system', 'user', 'assistant', 'user'],
  ]);
});

test('one message for providers that want turns to alternate: no two of a role in a row, with tools too, and the prefix holds', async () => {
  provider.play([{ toolCalls: [{ name: 'edit', arguments: { path: 'gross.ts', edits: [{ oldText: '1.19', newText: '1.07' }] } }] }]);
  const pi = startRpc(options({ settings: { contextEngine: { context: { oneMessage: 'always' } } } }));
  await untilReady(pi);
  await pi.prompt(GROSS);
  await pi.prompt(STOCK);
  await pi.close();
  expect([roles(0), roles(1), roles(2)]).toEqual([
    ['system', 'user'],
    ['system', 'user', 'assistant', 'tool'],
    ['system', 'user', 'assistant', 'tool', 'assistant', 'user'],
  ]);
  expect(textOf(provider.bodies[0]?.[1]).endsWith(GROSS)).toBe(true);
  expect(textOf(provider.bodies[1]?.[3])).toContain('[DS4 PROJECT SOURCE UPDATE');
  expect(provider.bodies[2]?.slice(0, 4)).toEqual(provider.bodies[1]);
  expect(paths(2)).toEqual(['gross.ts', 'gross.ts', 'stock.ts']);
});

test('placement latest: the quotations of earlier prompts are not sent again', async () => {
  const pi = startRpc(options({ settings: { contextEngine: { context: { placement: 'latest' } } } }));
  await untilReady(pi);
  await pi.prompt(GROSS);
  await pi.prompt(STOCK);
  await pi.prompt(`Again: ${STOCK}`);
  await pi.close();
  expect([paths(0), paths(1), paths(2)]).toEqual([['gross.ts'], ['stock.ts'], ['stock.ts']]);
});

test('what the conversation holds unchanged is not quoted again; what has changed is', async () => {
  const pi = startRpc(options());
  await untilReady(pi);
  await pi.prompt(GROSS);
  await pi.prompt(`Again: ${GROSS}`);
  const { excluded } = await report<Manifest>(pi, '/context manifest');
  writeFileSync(join(place.project, 'gross.ts'), price('grossPrice').replace('1.19', '1.07'));
  await pi.prompt(`Once more: ${GROSS}`);
  await pi.close();
  expect([paths(1), paths(2)]).toEqual([['gross.ts'], ['gross.ts', 'gross.ts']]);
  expect(excluded.map(({ path, reasons }) => [path, ...reasons])).toContainEqual(['gross.ts', 'held']);
  expect(provider.bodies[2]?.slice(0, 3)).toEqual(provider.bodies[1]?.slice(0, 3));
});

test('calibration: after three counted replies the budget follows how the model counts; a failed reply is no sample', async () => {
  const pi = startRpc(options());
  await untilReady(pi);
  const factor = async () => (await report<{ calibration: number; samples: number }>(pi, '/context model')).samples;
  provider.play([{ text: 'one' }, { refuse: 'no' }, { text: 'two' }]);
  await pi.prompt(GROSS);
  await pi.prompt('Hello?');
  await pi.prompt('Hello!');
  await vi.waitFor(async () => expect(await factor()).toBe(2));
  await pi.prompt('Thanks!');
  await vi.waitFor(async () => expect(await factor()).toBe(3));
  await pi.prompt(STOCK);
  const manifest = await report<Manifest>(pi, '/context manifest');
  const model = await report<{ calibration: number }>(pi, '/context model');
  await pi.close();
  // The server counts 1,234 tokens for every request; ours, with its tools, are estimated at more than that.
  expect(manifest.calibration).toBeGreaterThanOrEqual(0.5);
  expect(manifest.calibration).toBeLessThan(1);
  expect(manifest.included[0]?.tokens).toBe(manifest.estimatedTokens);
  expect(model.calibration).toBeLessThanOrEqual(manifest.calibration);
});

test('the window decides the budget; an observer plans and sends nothing; off asks nothing', async () => {
  const observer = startRpc(options({ settings: { contextEngine: { mode: 'observer' } } }));
  await untilReady(observer);
  await observer.prompt(GROSS);
  expect(await report<Manifest>(observer, '/context manifest')).toMatchObject({
    mode: 'observer',
    status: 'completed',
    budgetTokens: 10_500,
    projectSnippets: [{ path: 'gross.ts' }],
  });
  await observer.close();
  const off = startRpc(options({ settings: { contextEngine: { mode: 'off' } } }));
  await off.prompt(GROSS);
  expect(await report(off, '/context')).toMatchObject({ status: 'disabled', state: 'off, by the settings' });
  await off.close();
  expect([paths(0), paths(1)]).toEqual([[], []]);
});

test('a session that Pi does not keep leaves its manifest in memory', async () => {
  const kept = async (flags: string[]) => {
    const pi = startRpc(options({ flags }));
    await untilReady(pi);
    await pi.prompt(GROSS);
    const manifest = await report<Manifest>(pi, '/context manifest');
    await pi.close();
    const next = startRpc(options());
    await untilReady(next);
    const found = await report<Manifest>(next, '/context manifest');
    await next.close();
    return [manifest.status, found.id === manifest.id];
  };
  expect(await kept(['--no-session'])).toEqual(['completed', false]);
  expect(await kept([])).toEqual(['completed', true]);
  expect(readdirSync(place.project).sort()).toEqual(['gross.ts', 'stock.ts']);
});

test('a fork keeps what was quoted before its place, byte for byte, and nothing of what came after it', async () => {
  const pi = startRpc(options());
  await untilReady(pi);
  await pi.prompt(GROSS);
  await pi.prompt(STOCK);
  const forks = (await pi.request({ type: 'get_fork_messages' })) as unknown as { data: { messages: { entryId: string }[] } };
  expect((await pi.request({ type: 'fork', entryId: forks.data.messages[1]?.entryId })).success).toBe(true);
  await untilReady(pi);
  await pi.prompt('Hello!');
  await pi.prompt(STOCK);
  await pi.close();
  expect([paths(1), paths(2), paths(3)]).toEqual([['gross.ts', 'stock.ts'], ['gross.ts'], ['gross.ts', 'stock.ts']]);
  expect(provider.bodies[2]?.slice(0, 4)).toEqual(provider.bodies[1]?.slice(0, 4));
});

test('on another branch of the tree, quotations whose place is gone are gone, those that have theirs stay; they come back with their place', async () => {
  const extension = packageWith(`own(pi);
    let leaf;
    pi.registerCommand('forth', { handler: (_args, ctx) => ctx.navigateTree(leaf, { summarize: false }) });
    pi.registerCommand('back', { handler: async (_args, ctx) => {
      leaf = ctx.sessionManager.getLeafId();
      const users = ctx.sessionManager.getEntries().filter((entry) => entry.type === 'message' && entry.message.role === 'user');
      await ctx.navigateTree(users[1].id, { summarize: false });
    } });`);
  const pi = startRpc(options({ extension }));
  await untilReady(pi);
  await pi.prompt(GROSS);
  await pi.prompt(STOCK);
  await pi.prompt('/back');
  await pi.prompt('Thanks!');
  await pi.prompt('/forth');
  await pi.prompt('Thanks!');
  await pi.close();
  expect([paths(1), paths(2), paths(3)]).toEqual([['gross.ts', 'stock.ts'], ['gross.ts'], ['gross.ts', 'stock.ts']]);
  expect(provider.bodies[2]?.slice(0, 3)).toEqual(provider.bodies[0]);
  expect(provider.bodies[3]?.slice(0, 6)).toEqual(provider.bodies[1]);
});
