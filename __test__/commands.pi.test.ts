// `/context` and its subcommands in the real Pi: objects in rpc mode, screens in the terminal.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type ExplainedFile, type Manifest, openProject } from '../index.js';
import { freshForEach, place, provider } from './pi/fixture.ts';
import { type RpcRecord, report, startRpc, untilReady, writeFiles } from './pi/host.ts';
import { startTerminal } from './pi/terminal.ts';
import { has } from './pi/tools.ts';

const SOURCE = '/** Adds the tax. */\nexport function grossPrice(net: number): number {\n  return net * 1.19; // marker-of-the-source\n}\n';
const FILES = { 'src/price.ts': SOURCE, 'src/stock.ts': 'export const stockCount = 3;\n', '.env': 'A=1\n', 'package-lock.json': '{}\n' };
const REQUEST = 'What does grossPrice do?';

freshForEach(FILES);

const options = (more = {}) => ({ place, providerUrl: provider.url, ...more });
const sha256 = (path: string) =>
  createHash('sha256')
    .update(readFileSync(join(place.project, path)))
    .digest('hex');
const databases = () =>
  existsSync(place.dataHome) ? readdirSync(place.dataHome, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.db')) : [];
const confirm = (pi: { send(command: Record<string, unknown>): void }, asked: RpcRecord, confirmed: boolean) =>
  pi.send({ type: 'extension_ui_response', id: asked.id, confirmed });

test('rpc: each report of the last answer is an object, and none holds source text', async () => {
  const pi = startRpc(options());
  await untilReady(pi);
  await pi.prompt(REQUEST);
  const overview = await report(pi, '/context');
  expect(overview).toMatchObject({
    status: 'ready',
    mode: 'managed',
    trusted: true,
    trustSource: 'host',
    counts: { files: 2, symbols: 2 },
    live: { files: 1 },
    lastAnswer: { snippets: [{ path: 'src/price.ts', hash: sha256('src/price.ts') }] },
    problems: [],
  });
  const manifest = await report<Manifest>(pi, '/context manifest');
  expect(manifest).toMatchObject({ status: 'completed', mode: 'managed', actualTokens: 1234, calibration: 1, projectSnippets: [{ path: 'src/price.ts' }] });
  expect(await report(pi, '/context included')).toEqual({ included: manifest.included, projectSnippets: manifest.projectSnippets });
  expect(await report(pi, '/context excluded')).toEqual({ excluded: manifest.excluded, excludedMore: manifest.excludedMore });
  const explained = await report<Manifest & { explained: ExplainedFile[] }>(pi, '/context explain');
  expect(explained).toMatchObject(manifest);
  expect(explained.explained.map(({ path }) => path)).toEqual(['src/price.ts']);
  const { score, factor, shares } = explained.explained[0] as ExplainedFile;
  expect([score, factor > 0, shares.some(({ points }) => points > 0)]).toEqual([1, true, true]);
  expect(await report(pi, '/context health')).toEqual({ problems: [] });
  expect(await report(pi, '/context privacy')).toMatchObject({ destination: 'local', enabled: false, secrets: 'exclude', gate: { requests: 1, blocks: 1 } });
  expect(await report(pi, '/context project')).toMatchObject({ status: 'ready', revision: { projectPath: place.project } });
  expect(await report(pi, '/context model')).toMatchObject({
    model: 'mock/mock-model',
    contextWindow: 128_000,
    budgetTokens: 12_000,
    calibration: 1,
    samples: 1,
  });
  const shown = pi.records.filter(({ method }) => method === 'notify').map(({ message }) => String(message));
  expect(shown.filter((text) => text.includes('marker-of-the-source'))).toEqual([]);
  const statuses = pi.records.filter(({ method }) => method === 'setStatus').map(({ statusText }) => statusText);
  expect(statuses.some((text) => /^ctx 1 file · \d+$/.test(text ?? ''))).toBe(true);
  await pi.close();
});

test('rpc: preview, files, why and symbols look without a model', async () => {
  const pi = startRpc(options());
  await untilReady(pi);
  const preview = await report<Manifest>(pi, '/context preview how is stockCount set?');
  expect(preview).toMatchObject({ mode: 'observer', projectSnippets: [{ path: 'src/stock.ts' }] });
  expect(await report(pi, '/context files')).toMatchObject({
    languages: [{ language: 'typescript', files: 2, lines: 5, symbols: 2 }],
    excluded: [
      { rule: 'name/credentials', files: 1, paths: ['.env'] },
      { rule: 'name/lock-file', files: 1, paths: ['package-lock.json'] },
    ],
    unreadable: [],
  });
  const ofOneRule = await report(pi, '/context files name/lock-file');
  expect(ofOneRule).toMatchObject({ excluded: [{ rule: 'name/lock-file', files: 1, paths: ['package-lock.json'] }] });
  expect(await report(pi, '/context files nonsense')).toMatchObject({ code: 'E_INVALID_ARGUMENT' });
  expect(await report(pi, '/context why src/price.ts')).toMatchObject({ state: 'indexed', hash: sha256('src/price.ts'), lines: 4, language: 'typescript' });
  expect(await report(pi, '/context why .env')).toMatchObject({ state: 'excluded', rule: 'name/credentials', reason: expect.stringMatching(/./) });
  expect(await report(pi, '/context why src/none.ts')).toMatchObject({ state: 'absent' });
  expect(await report(pi, '/context why ../outside')).toMatchObject({ code: 'E_PATH_INVALID' });
  expect(await report(pi, '/context symbols src/price.ts')).toMatchObject({ path: 'src/price.ts', symbols: [{ qualifiedName: 'grossPrice' }] });
  expect(await report(pi, '/context symbols stockCount')).toMatchObject({ definitions: [{ path: 'src/stock.ts' }] });
  expect(await report(pi, '/context manifest')).toEqual({ error: 'No answer yet: one is made with the next prompt.' });
  expect(await report(pi, '/context nonsense')).toMatchObject({ error: expect.stringMatching(/^No subcommand nonsense\. There are: project, manifest, /) });
  expect(await report(pi, '/context toString')).toMatchObject({ error: expect.stringMatching(/^No subcommand toString\./) });
  expect(await report(pi, '/context preview')).toEqual({ error: 'Say /context preview <request>.' });
  expect(provider.bodies).toEqual([]);
  await pi.close();
});

test('rpc: what was left out is shown with its path; the user includes and maps, a project may not', async () => {
  writeFiles(place.project, { 'dist/api.ts': 'export const apiVersion = 7;\n', 'old.inc': '<?php\nfunction oldTax() { return 1; }\n' });
  const pi = startRpc(options({ settings: { contextEngine: { project: { include: ['dist/'], languages: { inc: 'php' }, maxResults: 1 } } } }));
  await untilReady(pi);
  expect(await report(pi, '/context why dist/api.ts')).toMatchObject({ state: 'indexed' });
  expect(await report(pi, '/context why old.inc')).toMatchObject({ state: 'indexed', language: 'php' });
  await pi.prompt('Compare grossPrice and stockCount');
  const { excluded } = await report<Manifest>(pi, '/context excluded');
  expect(excluded.map(({ path, startLine, reasons }) => [path, startLine, reasons])).toContainEqual(['src/stock.ts', 1, ['rank']]);
  await pi.close();
  writeFiles(place.project, { '.pi/settings.json': JSON.stringify({ contextEngine: { project: { include: ['dist/'], languages: { inc: 'php' } } } }) });
  const narrowed = startRpc(options({ trust: 'yes' }));
  await untilReady(narrowed);
  expect(await report(narrowed, '/context why dist/api.ts')).toMatchObject({ state: 'excluded' });
  expect(await report(narrowed, '/context why old.inc')).toMatchObject({ state: 'indexed' });
  const told = narrowed.records.filter(({ method, notifyType }) => method === 'notify' && notifyType === 'warning').map(({ message }) => String(message));
  expect(told).toContain(
    'pi-context-engine: contextEngine.project.include of the project is refused: it widens what is read, so it holds in your own settings alone.',
  );
  await narrowed.close();
});

test('rpc: the index is rebuilt on demand; to forget it is asked first, and then nothing of it is left until the next session', async () => {
  const pi = startRpc(options());
  await untilReady(pi);
  expect(await report(pi, '/context rebuild-index')).toMatchObject({ status: 'ready', counts: { files: 2 } });
  const forget = async (sure: boolean) => {
    const from = pi.records.length;
    const reported = report(pi, '/context forget');
    confirm(pi, await pi.waitFor(({ method }) => method === 'confirm', from), sure);
    return reported;
  };
  expect(await forget(false)).toEqual({ deleted: false });
  expect(databases()).toHaveLength(1);
  await pi.prompt(REQUEST);
  expect(await forget(true)).toEqual({ deleted: true });
  expect(databases()).toEqual([]);
  await pi.prompt('And now?');
  expect(JSON.stringify(provider.bodies.at(-1))).not.toContain('marker-of-the-source');
  expect(await report(pi, '/context')).toMatchObject({ live: { files: 0 }, problems: [{ text: expect.stringContaining('its index was deleted') }] });
  expect((await pi.request({ type: 'new_session' })).success).toBe(true);
  await untilReady(pi);
  expect(databases()).toHaveLength(1);
  await pi.close();
});

test('rpc: what is stored of other projects is shown with its size; what is left of a folder that is gone is deleted on demand', async () => {
  const gone = join(place.root, 'gone');
  writeFiles(gone, { 'a.ts': 'export const a = 1;\n' });
  const data = join(place.dataHome, 'pi-context-engine');
  const handle = await openProject({ path: gone, trusted: true, dataDirectory: data });
  await handle.sync();
  await handle.close();
  const pi = startRpc(options());
  await untilReady(pi);
  interface Stored {
    indexes: { project: string; bytes: number; orphaned: boolean }[];
  }
  const stored = async () =>
    (await report<Stored>(pi, '/context indexes')).indexes.map(({ project, bytes, orphaned }) => [project, bytes > 0, orphaned]).sort();
  expect(await stored()).toEqual([
    [gone, true, false],
    [place.project, true, false],
  ]);
  rmSync(gone, { recursive: true });
  expect(await stored()).toEqual([
    [gone, true, true],
    [place.project, true, false],
  ]);
  const forget = async (project: string, sure: boolean) => {
    const from = pi.records.length;
    const reported = report(pi, `/context forget ${project}`);
    confirm(pi, await pi.waitFor(({ method }) => method === 'confirm', from), sure);
    return reported;
  };
  expect(await forget(gone, false)).toEqual({ deleted: false });
  expect(await forget(`${gone}er`, true)).toEqual({ deleted: false });
  expect(await forget(gone, true)).toEqual({ deleted: true });
  expect(await stored()).toEqual([[place.project, true, false]]);
  await pi.close();
});

test('rpc: where the user wants to be asked, nothing is read before the yes; it is asked once, and remembered outside of the project', async () => {
  const settings = { contextEngine: { project: { consent: 'ask' } } };
  const before = readdirSync(place.project, { recursive: true }).sort();
  const first = startRpc(options({ settings }));
  const asked = await first.waitFor(({ method }) => method === 'confirm', 0);
  await first.prompt(REQUEST);
  expect(provider.bodies[0]?.map(({ role }) => role)).toEqual(['system', 'user']);
  expect(databases()).toEqual([]);
  confirm(first, asked, true);
  await untilReady(first);
  await first.prompt(`Again: ${REQUEST}`);
  expect(JSON.stringify(provider.bodies[1])).toContain('marker-of-the-source');
  await first.close();
  const second = startRpc(options({ settings }));
  await untilReady(second);
  expect(second.records.filter(({ method }) => method === 'confirm')).toEqual([]);
  await second.close();
  expect(JSON.parse(readFileSync(join(place.agentDir, 'context-engine-consent.json'), 'utf8'))).toEqual({ [place.project]: true });
  expect(readdirSync(place.project, { recursive: true }).sort()).toEqual(before);
});

test('rpc: a no is remembered, too', async () => {
  const settings = { contextEngine: { project: { consent: 'ask' } } };
  writeFiles(place.agentDir, { 'context-engine-consent.json': JSON.stringify({ [place.project]: false }) });
  const pi = startRpc(options({ settings }));
  await pi.prompt(REQUEST);
  expect(await report(pi, '/context')).toMatchObject({ state: 'not read: you said no', trusted: false });
  await pi.close();
  expect(databases()).toEqual([]);
  expect(pi.records.filter(({ method }) => method === 'confirm')).toEqual([]);
});

test.skipIf(!has('tmux', '-V'))('terminal: a long report scrolls, is no wider than the screen, and closes; names are completed', async () => {
  const terminal = startTerminal(options());
  try {
    await terminal.waitFor('mock-model');
    await terminal.type(REQUEST);
    await terminal.waitFor('ctx 1 file · ');
    await terminal.type('/context manifest');
    const first = await terminal.waitFor('lines 1-24 of ');
    expect(first).toContain('"schemaVersion": 1,');
    expect(first.split('\n').every((line) => line.length <= 100)).toBe(true);
    terminal.key('Space');
    await terminal.waitFor('lines 25-48 of ');
    terminal.key('Up');
    await terminal.waitFor('lines 24-47 of ');
    terminal.key('Escape');
    await terminal.waitUntil((screen) => !screen.includes('escape closes'));
    terminal.key('-l', '/context hea');
    await terminal.waitFor('what needs attention');
  } finally {
    terminal.close();
  }
});
