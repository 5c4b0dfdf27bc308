// Life inside Pi, named after the complaints of users of such tools: cost and cache (D1, D2), starting and ending (D4 to D8),
// compaction (D11), and whether what we say to the model is true wherever it stands (C4, C5).
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Manifest } from '../index.js';
import { freshForEach, place, provider } from './pi/fixture.ts';
import { PACKAGE, report, runPi, startRpc, untilReady, writeFiles } from './pi/host.ts';
import { type ChatMessage, textOf } from './pi/provider.ts';
import { startTerminal } from './pi/terminal.ts';
import { has } from './pi/tools.ts';

const price = (name: string) => `/** Adds the tax. */\nexport function ${name}(net: number): number {\n  return net * 1.19; // of-the-source\n}\n`;
const FILES = { 'src/gross.ts': price('grossPrice'), 'src/stock.ts': price('stockCount'), 'README.md': '# A shop\n' };
const GROSS = 'What does grossPrice do?';
const STOCK = 'What does stockCount do?';

freshForEach(FILES);

const options = (more = {}) => ({ place, providerUrl: provider.url, ...more });
const print = (more = {}, prompts = [GROSS]) => runPi({ ...options(more), mode: 'print', prompts });
const isOurs = (message: ChatMessage) => textOf(message).startsWith('[DS4 PROJECT SOURCE');
const ours = (at: number) => (provider.bodies[at] ?? []).filter(isOurs).map(textOf);
const isReference = (text: string) => text.startsWith('[DS4 PROJECT SOURCE REFERENCE');
const paths = (at: number) =>
  ours(at)
    .filter((text) => !isReference(text))
    .map((text) => /^Path: "(.*)"$/m.exec(text)?.[1]);
const manyFiles = () => Object.fromEntries(Array.from({ length: 3_000 }, (_, at) => [`lib/part${at % 50}/module${at}.ts`, price(`price${at}`).repeat(40)]));

test('D1, C4: between two prompts the system prompt and all earlier messages are the same bytes, and quotations are never in it', async () => {
  const pi = startRpc(options());
  await untilReady(pi);
  await pi.prompt(GROSS);
  await pi.prompt(STOCK);
  await pi.close();
  const [first, second] = provider.bodies.map((messages) => JSON.stringify(messages));
  expect([paths(0), paths(1)]).toEqual([['src/gross.ts'], ['src/gross.ts', 'src/stock.ts']]);
  expect(second?.startsWith(first?.slice(0, -1) ?? '-')).toBe(true);
  expect(provider.bodies.map(([system]) => [system?.role, textOf(system).includes('of-the-source')])).toEqual([
    ['system', false],
    ['system', false],
  ]);
});

test('D2: three follow-ups on one file quote it once, and point to it; an off switch leaves nothing', async () => {
  const pi = startRpc(options());
  await untilReady(pi);
  for (const text of [GROSS, `Again: ${GROSS}`, `Once more: ${GROSS}`, `And: ${GROSS}`]) await pi.prompt(text);
  await pi.close();
  expect(provider.bodies.map((_, at) => paths(at))).toEqual([['src/gross.ts'], ['src/gross.ts'], ['src/gross.ts'], ['src/gross.ts']]);
  expect(provider.bodies.map((_, at) => ours(at).filter(isReference).length)).toEqual([0, 1, 2, 3]);
  await print({ settings: { contextEngine: { project: { enabled: false } } } });
  expect(ours(4)).toEqual([]);
});

test('D4: new, forked and resumed sessions in the middle of an index: no error, and the last one works', async () => {
  writeFiles(place.project, manyFiles());
  const pi = startRpc(options({ maxDelayMs: 150 }));
  const file = (await pi.request({ type: 'get_state' })) as unknown as { data: { sessionFile: string } };
  await pi.prompt('Hello!');
  for (const command of [{ type: 'new_session' }, { type: 'switch_session', sessionPath: file.data.sessionFile }, { type: 'clone' }, { type: 'new_session' }]) {
    expect((await pi.request(command)).success).toBe(true);
  }
  await untilReady(pi);
  await pi.prompt(GROSS);
  const errors = pi.records.filter(({ type, notifyType }) => type === 'extension_error' || notifyType === 'warning' || notifyType === 'error');
  expect(await pi.close()).toBe(0);
  expect(errors).toEqual([]);
  expect(provider.bodies).toHaveLength(2);
});

test.skipIf(!has('tmux', '-V'))('D4: /reload and /new in the middle of an index: no error line, and the next session works', async () => {
  writeFiles(place.project, manyFiles());
  const terminal = startTerminal(options());
  try {
    await terminal.waitFor('mock-model');
    await terminal.type('/reload');
    await terminal.type('/new');
    await terminal.type(GROSS);
    const screen = await terminal.waitFor('done');
    expect(screen).not.toMatch(/pi-context-engine:|[Ee]rror|stale/);
    await terminal.type('/context');
    expect(await terminal.waitFor('Project /')).not.toMatch(/pi-context-engine:|[Ee]rror/);
  } finally {
    terminal.close();
  }
});

test('D5, D6: print mode ends by itself with code 0 cold, warm, and while a first index runs; at start nothing is said or sent', async () => {
  expect(await print()).toEqual({ code: 0, signal: null, stdout: 'done\n', stderr: '' });
  expect(await print()).toEqual({ code: 0, signal: null, stdout: 'done\n', stderr: '' });
  writeFiles(place.project, manyFiles());
  expect(await print({ maxDelayMs: 150 })).toEqual({ code: 0, signal: null, stdout: 'done\n', stderr: '' });
  expect(provider.bodies).toHaveLength(3);
  expect([paths(0), paths(1)]).toEqual([['src/gross.ts'], ['src/gross.ts']]);
});

/** This package with another addon in its place. */
function packageWith(index: string | undefined): string {
  const folder = join(place.root, 'other');
  for (const name of ['package.json', 'index.js', 'extension']) cpSync(join(PACKAGE, name), join(folder, name), { recursive: true });
  if (index) writeFileSync(join(folder, 'index.js'), index);
  return folder;
}

const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as { version: string };
const BROKEN: [string, string | undefined, string][] = [
  ['missing', undefined, 'No addon for '],
  ['older', "exports.version = () => '0.0.1';", `The addon is of version 0.0.1, the extension of ${version}. `],
  ['newer', "exports.version = () => '99.0.0';", `The addon is of version 99.0.0, the extension of ${version}. `],
  ['broken', "throw new TypeError('it does not load');", 'it does not load'],
];

test.each(BROKEN)('D7, D8: with an addon that is %s Pi starts and answers; one line, the status and the manifest say so', async (_, index, why) => {
  const extension = packageWith(index);
  const printed = await print({ extension }, [GROSS, STOCK]);
  expect(printed).toMatchObject({ code: 0, signal: null, stdout: 'done\n' });
  expect(printed.stderr.split('\n')).toEqual([expect.stringContaining(`pi-context-engine: ${why}`), '']);
  const pi = startRpc(options({ extension }));
  await pi.prompt(GROSS);
  const { state } = await report<{ state: string }>(pi, '/context');
  const manifest = await report<Manifest>(pi, '/context manifest');
  const statuses = pi.records.filter(({ method }) => method === 'setStatus').map(({ statusText }) => statusText);
  await pi.close();
  expect(state).toContain(`not active: ${why}`);
  expect(statuses).toContain('ctx ! /context health');
  expect(manifest).toMatchObject({ mode: 'fallback', status: 'completed', actualTokens: 1234, projectSnippets: [] });
  expect(manifest.modeReason).toContain(`not active: ${why}`);
  expect(provider.bodies.flat().filter(isOurs)).toEqual([]);
});

test('D11, C5: after an overflow and a compaction nothing is added until the next real prompt', async () => {
  const settings = { compaction: { enabled: true, keepRecentTokens: 1 } };
  const pi = startRpc(options({ settings }));
  await untilReady(pi);
  await pi.prompt(GROSS);
  provider.play([{ refuse: "This model's maximum context length is 128000 tokens. However, you requested about 130000 tokens." }]);
  await pi.prompt(STOCK);
  const recovery = provider.bodies.length - 1;
  const compacted = pi.records.some(({ type }) => type === 'compaction_end');
  await pi.prompt(`Again: ${STOCK}`);
  await pi.close();
  expect(compacted).toBe(true);
  // The request that was too long was a real prompt; what follows are the summaries and the recovery.
  expect(paths(1)).toEqual(['src/gross.ts', 'src/stock.ts']);
  expect(recovery).toBeGreaterThan(2);
  const before = new Set(ours(1));
  for (let at = 2; at <= recovery; at += 1) expect(ours(at).filter((text) => !before.has(text))).toEqual([]);
  expect(paths(recovery + 1)).toContain('src/stock.ts');
});

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.invalid', ...args], { cwd: place.project, encoding: 'utf8' }).trimEnd();

/** The quotations of the newest request, each of whose statements is held against the files and against git. */
function trueQuotes(): string[] {
  const texts = (provider.bodies.at(-1) ?? []).filter(isOurs).map(textOf);
  return texts.map((text) => {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1] ?? '';
    const path = JSON.parse(field('Path')) as string;
    const bytes = readFileSync(join(place.project, path));
    const [first, last] = field('Lines').split('-').map(Number);
    const lines = bytes
      .toString('utf8')
      .split('\n')
      .slice((first ?? 0) - 1, last);
    expect(field('SHA-256')).toBe(createHash('sha256').update(bytes).digest('hex'));
    expect(JSON.parse(field('Quoted source JSON'))).toBe(lines.join('\n'));
    expect(field('Working tree')).toBe(git('status', '--porcelain', '--', path) ? 'modified/untracked' : 'tracked at indexed revision');
    expect(field('Indexed Git HEAD')).toBe(git('rev-parse', 'HEAD'));
    expect(field('Relevance')).toMatch(/^exact symbol (grossPrice|stockCount)$/);
    expect(text.split('\n')).toHaveLength(10);
    return path;
  });
}

test('C5: what a header says is true in the first turn, later, after a compaction, resumed, and where nothing is found it says nothing', async () => {
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'start');
  writeFileSync(join(place.project, 'src/stock.ts'), `${FILES['src/stock.ts']}// edited\n`);
  const pi = startRpc(options({ settings: { compaction: { keepRecentTokens: 1 } } }));
  await untilReady(pi);
  await pi.prompt(GROSS);
  expect(trueQuotes()).toEqual(['src/gross.ts']);
  await pi.prompt(STOCK);
  expect(trueQuotes()).toEqual(['src/gross.ts', 'src/stock.ts']);
  await pi.prompt('Thanks a lot!');
  expect(trueQuotes()).toEqual(['src/gross.ts', 'src/stock.ts']);
  expect((await pi.request({ type: 'compact' })).success).toBe(true);
  await pi.prompt('Thanks again!');
  expect(trueQuotes()).toEqual([]);
  await pi.prompt(`Now: ${GROSS}`);
  expect(trueQuotes()).toEqual(['src/gross.ts']);
  const state = (await pi.request({ type: 'get_state' })) as unknown as { data: { sessionFile: string } };
  expect((await pi.request({ type: 'new_session' })).success).toBe(true);
  expect((await pi.request({ type: 'switch_session', sessionPath: state.data.sessionFile })).success).toBe(true);
  await pi.prompt('Hello!');
  expect(trueQuotes()).toEqual(['src/gross.ts']);
  await pi.prompt(`Once more: ${STOCK}`);
  expect(trueQuotes()).toEqual(['src/gross.ts', 'src/stock.ts']);
  expect(await pi.close()).toBe(0);
});
