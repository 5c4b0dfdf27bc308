// The addon's boundary under callers that no type checker has seen: every mistake is a rejection with a stable code, and costs nothing later.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openProject, type Project } from '../index.js';
import { project, sha256 } from './fixtures.js';

const SOURCE = 'export function refuseLink(path: string): boolean {\n  return path.endsWith(".lnk");\n}\n';
const ADDON = new URL('../index.js', import.meta.url).pathname;
const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`src/f${at}.ts`, SOURCE.replaceAll('Link', `Link${at}`).repeat(20)]));
const open = (place: { root: string; data: string }) => openProject({ path: place.root, trusted: true, dataDirectory: place.data });

/** The code of the rejection, or what was wrong instead. Calls must not throw: their callers await. */
async function code(call: () => Promise<unknown>): Promise<string> {
  let promise: Promise<unknown>;
  try {
    promise = call();
  } catch (error) {
    return `thrown: ${error}`;
  }
  return promise.then(
    (value) => `resolved: ${JSON.stringify(value)}`,
    (error: { code?: string }) => String(error.code),
  );
}

describe('one open project', () => {
  // Any shape of argument, as JavaScript lets it through.
  type Loose = Record<string, (...given: unknown[]) => Promise<unknown>>;
  let place: { root: string; data: string };
  let handle: Project;
  let loose: Loose;
  beforeEach(async () => {
    place = project({ 'src/link.ts': SOURCE });
    handle = await open(place);
    loose = handle as unknown as Loose;
    await handle.sync();
  });
  afterEach(() => handle.close());

  const zero = '0'.repeat(64);
  const line = (startLine: unknown, endLine: unknown) => ({ path: 'src/link.ts', hash: zero, startLine, endLine });
  test.each<[string, unknown[]]>([
    ['retrieve', []],
    ['retrieve', [null]],
    ['retrieve', ['text']],
    ['retrieve', [{ text: 5 }]],
    ['retrieve', [{ text: 'x', maxResults: Number.NaN }]],
    ['retrieve', [{ text: 'x', maxTokens: Number.POSITIVE_INFINITY }]],
    ['retrieve', [{ text: 'x', roomTokens: -1 }]],
    ['retrieve', [{ text: 'x', deadlineMs: -1 }]],
    ['retrieve', [{ text: 'x', mode: 'other' }]],
    ['retrieve', [{ text: 'x', destination: 'moon' }]],
    ['retrieve', [{ text: 'x', model: { provider: 'p', id: 'i', contextWindow: 1.5 } }]],
    ['retrieve', [{ text: 'x', signal: {} }]],
    ['retrieve', [{ text: 'x', held: [null] }]],
    ['retrieve', [{ text: 'x', held: [line(0, 1)] }]],
    ['retrieve', [{ text: 'x', held: [line(-5, Number.NaN)] }]],
    ['retrieve', [{ text: 'x', held: [line(9, 2)] }]],
    ['recheck', [{ text: 'x', snippets: null }]],
    ['recheck', [{ text: 'x', snippets: [{ ...line(1, 1e20), snippetId: zero }] }]],
    ['sync', [{ force: 'yes' }]],
    ['sync', [{ first: 'src' }]],
    ['sync', [{ onProgress: 5 }]],
    ['sync', [{ deadlineMs: Number.NaN }]],
    ['search', [{}]],
    ['read', [{ path: 5 }]],
    ['read', [{ path: 'src/link.ts', startLine: -1 }]],
    ['read', [{ path: 'src/link.ts', startLine: 1.5 }]],
    ['read', [{ path: 'src/link.ts', endLine: Number.POSITIVE_INFINITY }]],
    ['read', [{ path: 'src/link.ts', startLine: 4 }]],
    ['recordUsage', []],
    ['recordUsage', ['id', { inputTokens: -1 }]],
    ['recordUsage', ['id', { inputTokens: 1, outputTokens: Number.NaN }]],
    ['manifests', [-1]],
    ['manifests', [129]],
    ['manifests', ['3']],
  ])('%s%j is refused as E_INVALID_ARGUMENT', async (name, given) => {
    expect(await code(() => loose[name]?.call(handle, ...given) as Promise<unknown>)).toBe('E_INVALID_ARGUMENT');
    expect((await handle.retrieve({ text: 'what does refuseLink do?' })).messages).toHaveLength(1);
  });

  test('an absurd count of tokens does not damage the record of manifests', async () => {
    const { manifest } = await handle.retrieve({ text: 'what does refuseLink do?' });
    const usage = { inputTokens: 1e308, cacheReadTokens: 1e308 };
    expect(await code(() => handle.recordUsage(manifest.id, usage))).toBe('E_INVALID_ARGUMENT');
    expect(await handle.manifests(128)).toMatchObject([{ id: manifest.id, status: 'pending' }]);
  });

  test('a signal that is aborted already stops every call that takes one', async () => {
    const signal = AbortSignal.abort();
    const calls = [
      () => handle.sync({ signal }),
      () => handle.retrieve({ text: 'x', signal }),
      () => handle.search({ text: '', signal }),
      () => handle.recheck({ text: 'x', snippets: [], signal }),
    ];
    expect(await Promise.all(calls.map(code))).toEqual(calls.map(() => 'E_CANCELLED'));
  });

  test('half characters, control characters and sizes beyond all use are answered like any request', async () => {
    const ask = async (text: string) => (await handle.retrieve({ text })).messages.map(({ snippet }) => snippet?.path);
    for (const text of ['refuseLink \ud800', '\udc00 refuseLink', 'refuseLink\0', '\u001b]0;x\u0007refuseLink', 'refuseLink '.repeat(100_000)]) {
      expect(await ask(text), JSON.stringify(text.slice(0, 20))).toEqual(['src/link.ts']);
    }
    for (const text of [
      '('.repeat(1e6),
      '"`'.repeat(5e5),
      'aB'.repeat(5e5),
      '\\'.repeat(1e6),
      '继续'.repeat(5e5),
      `e${'\u0301'.repeat(1e6)}`,
      '\n'.repeat(1e6),
    ]) {
      expect(await ask(text), JSON.stringify(text.slice(0, 20))).toEqual([]);
    }
    const held = Array.from({ length: 10_000 }, (_, at) => ({ path: `src/f${at % 200}.ts`, hash: sha256(String(at)), startLine: at + 1, endLine: at + 2 }));
    expect((await handle.retrieve({ text: 'refuseLink', held })).messages).toHaveLength(1);
    expect(await code(() => handle.read({ path: 'src/\ud800.ts' }))).toBe('E_NOT_FOUND');
    const endless = await handle.read({ path: `${'a/'.repeat(500_000)}b` }).catch((error: Error) => error);
    expect((endless as Error).message.length).toBeLessThan(2_000);
  });

  test('status says what has happened to the folder or to the index, and does not fail', async () => {
    rmSync(place.data, { recursive: true });
    const { messages, manifest } = await handle.retrieve({ text: 'what does refuseLink do?' });
    expect([messages, manifest.mode, manifest.modeReason]).toEqual([[], 'fallback', expect.stringContaining('removed')]);
    for (const status of await Promise.all([handle.status(), handle.status()])) expect(status.status).toBe('failed');
    renameSync(place.root, `${place.root}-old`);
    mkdirSync(place.root);
    expect(await handle.status()).toMatchObject({ status: 'refused', reasons: [expect.stringContaining('open it again')] });
  });
});

test('a hundred answers, syncs and a close at the same time: each answers or is cancelled', async () => {
  const handle = await open(project(many(200)));
  const calls = [
    handle.sync(),
    ...Array.from({ length: 100 }, (_, at) => handle.retrieve({ text: `what does refuseLink${at} do?` })),
    handle.sync({ force: true }),
  ];
  const ended = Promise.all(calls.map((call) => code(() => call)));
  await handle.close();
  expect((await ended).filter((outcome) => outcome !== 'E_CANCELLED' && !outcome.startsWith('resolved:'))).toEqual([]);
  expect(await code(() => handle.status())).toBe('E_CLOSED');
});

/** A program that opens the place and then runs `body` with `project`. */
const program = (place: { root: string; data: string }, body: string) => [
  '-e',
  `const { openProject } = require(process.argv[1]);
  (async () => { const project = await openProject({ path: process.argv[2], trusted: true, dataDirectory: process.argv[3] }); ${body} })();`,
  ADDON,
  place.root,
  place.data,
];

describe('several processes', () => {
  test('a kill in mid-sync leaves an index that knows that it is partial, and the next sync finishes it', async () => {
    const place = project(many(4_000));
    const child = spawn(process.execPath, program(place, "project.sync({ onProgress: ({ done }) => done >= 200 && process.kill(process.pid, 'SIGKILL') });"));
    expect(await new Promise((done) => child.on('close', (_exit, signal) => done(signal)))).toBe('SIGKILL');
    const handle = await open(place);
    const status = await handle.status();
    expect(status).toMatchObject({ status: 'partial', reasons: ['the last sync did not finish'] });
    expect(status.counts?.files).toBeGreaterThan(0);
    expect((await handle.retrieve({ text: 'what does refuseLink7 do?' })).manifest.completeness.complete).toBe(false);
    expect(await handle.sync()).toMatchObject({ complete: true, listed: 4_000, unchanged: status.counts?.files });
    expect((await handle.status()).status).toBe('ready');
    await handle.close();
  });
});

const canMount = process.platform === 'linux' && process.getuid?.() === 0 && spawnSync('unshare', ['--mount', 'true']).status === 0;

test.skipIf(!canMount)('a full disk is an error with a code, what was written answers, and the next sync with room finishes', () => {
  const place = project(many(4_000));
  mkdirSync(place.data);
  const body = `const sync = () => project.sync().then(({ complete }) => complete, ({ code }) => code);
    const full = await sync(); const partial = (await project.status()).status;
    require('node:child_process').execFileSync('mount', ['-o', 'remount,size=200m', process.argv[3]]);
    console.log(full, partial, await sync(), (await project.status()).status); await project.close();`;
  const command = ['--mount', 'sh', '-c', 'mount -t tmpfs -o size=2m tmpfs "$0" && exec "$@"', place.data, process.execPath, ...program(place, body)];
  expect(execFileSync('unshare', command, { encoding: 'utf8' })).toBe('E_STORE_UNAVAILABLE partial true ready\n');
});

test.skipIf(process.platform !== 'linux')('answers and open projects leave no memory and no file behind', () => {
  const place = project(many(50));
  const body = `const size = () => (gc(), process.memoryUsage().rss / 1e6);
    await project.sync(); const signal = new AbortController().signal;
    const answers = async (count) => { for (let at = 0; at < count; at += 1) await project.retrieve({ text: 'what does refuseLink' + (at % 50) + ' do?', signal }); };
    const opens = async (count) => { for (let at = 0; at < count; at += 1) { const other = await openProject({ path: process.argv[2], trusted: true, dataDirectory: process.argv[3] }); await other.sync(); await other.close(); } };
    await answers(100); await opens(5); const before = size(); const files = require('node:fs').readdirSync('/proc/self/fd').length;
    await answers(300); await opens(30);
    console.log(Math.round(size() - before), require('node:fs').readdirSync('/proc/self/fd').length - files, require('node:events').getEventListeners(signal, 'abort').length);
    await project.close();`;
  const [grown, files, listeners] = execFileSync(process.execPath, ['--expose-gc', ...program(place, body)], { encoding: 'utf8' })
    .split(' ')
    .map(Number);
  expect({ files, listeners }).toEqual({ files: 0, listeners: 0 });
  expect(grown).toBeLessThan(20);
});
