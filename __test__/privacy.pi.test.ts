// Classes, destinations and the last check, in the real Pi: what reaches the server, and what the manifest says of it.
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Manifest } from '../index.js';
import { freshForEach, place, provider } from './pi/fixture.ts';
import { PACKAGE, type Rpc, report, runPi, sessionFiles, startRpc, untilReady } from './pi/host.ts';
import { textOf } from './pi/provider.ts';

const RATE = `// [ds4:sensitive]
export function discountRate(): number {
  return 0.31; // hidden-figure
}
// [/ds4:sensitive]
`;
const SHOP = 'export function shopName(): string {\n  return "open-figure";\n}\n';
const FILES = { 'rate.ts': RATE, 'shop.ts': SHOP };
const REQUEST = 'What do discountRate and shopName do?';
const PRIVATE = { contextEngine: { privacy: { enabled: true } } };

freshForEach(FILES);

const options = (more = {}) => ({ place, providerUrl: provider.url, ...more });
const paths = (at: number) =>
  (provider.bodies[at] ?? []).map((message) => /^\[DS4 PROJECT SOURCE — .*\nPath: "(.*)"/.exec(textOf(message))?.[1]).filter(Boolean);
const manifestOf = (pi: Rpc) => report<Manifest>(pi, '/context manifest');

test('a remote model gets no quotation above its class; the manifest names it with its class', async () => {
  const pi = startRpc(options({ provider: 'far', settings: PRIVATE }));
  await untilReady(pi);
  await pi.prompt(REQUEST);
  const manifest = await manifestOf(pi);
  await pi.close();
  expect(paths(0)).toEqual(['shop.ts']);
  expect(provider.raw.join()).not.toContain('hidden-figure');
  expect(manifest.destination).toBe('remote');
  expect(manifest.included.map(({ classification }) => classification)).toEqual(['normal']);
  expect(manifest.excluded.filter(({ reasons }) => reasons.includes('privacy')).map(({ classification }) => classification)).toEqual(['sensitive']);
  expect(manifest.gate).toEqual({ requests: 1, blocks: 1, removed: 0, failures: 0 });
});

test('with privacy off, classes are recorded and keep nothing back; allowed classes leave', async () => {
  const off = startRpc(options({ provider: 'far' }));
  await untilReady(off);
  await off.prompt(REQUEST);
  const manifest = await manifestOf(off);
  await off.close();
  expect(paths(0).sort()).toEqual(['rate.ts', 'shop.ts']);
  expect(manifest.included.map(({ classification }) => classification).sort()).toEqual(['normal', 'sensitive']);
  const settings = { contextEngine: { privacy: { enabled: true, remoteAllow: ['normal', 'internal', 'sensitive'] } } };
  await runPi({ ...options({ provider: 'far', settings }), mode: 'print', prompts: [REQUEST] });
  expect(paths(1).sort()).toEqual(['rate.ts', 'shop.ts']);
  writeFileSync(join(place.project, 'rate.ts'), RATE.replaceAll('sensitive', 'local-only'));
  await runPi({ ...options({ provider: 'far', settings }), mode: 'print', prompts: [REQUEST] });
  expect(paths(2)).toEqual(['shop.ts']);
});

test('when the model changes to one elsewhere, what it may not have leaves with the next request, and the manifest says why', async () => {
  const pi = startRpc(options({ settings: PRIVATE }));
  await untilReady(pi);
  await pi.prompt(REQUEST);
  expect(paths(0).sort()).toEqual(['rate.ts', 'shop.ts']);
  expect((await pi.request({ type: 'set_model', provider: 'far', modelId: 'mock-model' })).success).toBe(true);
  await pi.prompt('Thanks, and now?');
  const manifest = await manifestOf(pi);
  await pi.close();
  expect(paths(1)).toEqual(['shop.ts']);
  expect(provider.raw[1]).not.toContain('hidden-figure');
  expect(manifest.removed.map(({ path, classification, reason }) => [path, classification, reason])).toEqual([['rate.ts', 'sensitive', 'destination']]);
});

test('when a file gets a marker in the middle of the work, its quotation leaves with the next call', async () => {
  const edits = [{ oldText: 'export function shopName', newText: '// [ds4:local-only]\nexport function shopName' }];
  provider.play([{ toolCalls: [{ name: 'edit', arguments: { path: 'shop.ts', edits } }] }]);
  const pi = startRpc(options({ provider: 'far', settings: PRIVATE }));
  await untilReady(pi);
  await pi.prompt(REQUEST);
  const manifest = await manifestOf(pi);
  await pi.close();
  expect([paths(0), paths(1)]).toEqual([['shop.ts'], []]);
  expect(manifest.removed.map(({ path, reason }) => [path, reason])).toEqual([['shop.ts', 'revoked:privacy']]);
});

const GATES = {
  throws: 'checkBlocks() { throw new Error("broken"); }',
  'rejects as after a panic': 'async checkBlocks() { throw Object.assign(new Error("an internal fault"), { code: "E_INTERNAL" }); }',
  'never settles': 'checkBlocks() { return new Promise(() => {}); }',
  'answers nonsense': 'async checkBlocks() { return [true]; }',
};

/** This package with an addon whose check is broken. */
function brokenPackage(body: string): string {
  const folder = join(place.root, 'broken');
  for (const name of ['package.json', 'extension']) cpSync(join(PACKAGE, name), join(folder, name), { recursive: true });
  writeFileSync(join(folder, 'index.js'), `module.exports = { ...require(${JSON.stringify(join(PACKAGE, 'index.js'))}), ${body} };`);
  return folder;
}

test.each(Object.entries(GATES))('a check that %s: the request goes without our blocks, or with privacy not at all', async (_, body) => {
  const extension = brokenPackage(body);
  const open = await runPi({ ...options({ extension }), mode: 'print', prompts: [REQUEST] });
  expect(open).toMatchObject({ code: 0, signal: null, stdout: 'done\n' });
  expect(open.stderr).toMatch(/^pi-context-engine: The quotations in a request could not be checked \([^\n]+\), so the request was sent without them\.\n$/);
  expect(provider.bodies[0]?.map(({ role }) => role)).toEqual(['system', 'user']);
  expect(textOf(provider.bodies[0]?.[1])).toBe(REQUEST);
  const closed = await runPi({ ...options({ extension, settings: PRIVATE }), mode: 'print', prompts: [REQUEST] });
  expect(closed.stderr).toMatch(/so the request was emptied \(privacy is enabled\)\.\n/);
  expect(provider.raw[1]).toBe('{}');
});

test('after a resume no old block of a file that has changed is sent: its text was not stored', async () => {
  const pi = startRpc(options());
  await untilReady(pi);
  await pi.prompt(REQUEST);
  expect(paths(0)).toHaveLength(2);
  const [file] = sessionFiles(place);
  expect(file).not.toContain('open-figure');
  const state = (await pi.request({ type: 'get_state' })) as unknown as { data: { sessionFile: string } };
  expect((await pi.request({ type: 'new_session' })).success).toBe(true);
  const path = join(place.project, 'rate.ts');
  writeFileSync(path, `${readFileSync(path, 'utf8')}// changed\n`);
  expect((await pi.request({ type: 'switch_session', sessionPath: state.data.sessionFile })).success).toBe(true);
  await pi.prompt('Hello again!');
  const before = provider.bodies[1]?.map(textOf);
  await pi.close();
  expect(provider.raw[1]).not.toContain('DS4 PROJECT SOURCE');
  expect(before?.slice(1)).toEqual([REQUEST, 'done', 'Hello again!']);
  expect(readFileSync(state.data.sessionFile, 'utf8')).not.toContain('figure');
});
