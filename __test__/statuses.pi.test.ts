// Each status and refusal as a user meets it in the real Pi: what `/context` says, with the next step, and that nothing is sent where nothing may be.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Files, type Manifest, openProject } from '../index.js';
import { freshForEach, place, provider } from './pi/fixture.ts';
import { type Place, report, startRpc, untilReady, writeFiles } from './pi/host.ts';
import { has } from './pi/tools.ts';

const REQUEST = 'What does grossPrice do?';
const FILES = {
  'src/price.ts': 'export function grossPrice(net: number): number {\n  return net * 1.19;\n}\n',
  'src/stock.ts': 'export const stockCount = 3;\n',
};

freshForEach(FILES);

interface Overview {
  status: string;
  state: string;
  problems: { text: string; next: string }[];
}

/** What is said after one prompt, and whether anything was quoted in it. */
async function after(more: Record<string, unknown> = {}) {
  const pi = startRpc({ place, providerUrl: provider.url, ...more });
  await pi.prompt(REQUEST);
  const overview = await report<Overview>(pi, '/context');
  const manifest = await report<Manifest>(pi, '/context manifest');
  const statuses = pi.records.filter(({ method }) => method === 'setStatus').map(({ statusText }) => statusText);
  expect(await pi.close()).toBe(0);
  return { overview, manifest, statuses, isQuoted: (provider.raw.at(-1) ?? '').includes('DS4 PROJECT SOURCE') };
}

const elsewhere = (project: string): Place => ({ ...place, project });

test.each([
  ['the root of the file system', () => '/', /root/],
  ['the home directory', () => place.home, /home/],
  ['what lies above the home directory', () => place.root, /home/],
])('refused: %s, with the reason', async (_, project, why) => {
  const { overview, manifest, isQuoted } = await after({ place: elsewhere(project()) });
  expect(overview).toMatchObject({ status: 'refused', state: expect.stringMatching(/^refused: /) });
  expect(overview.problems).toEqual([{ text: expect.stringMatching(why), next: 'start Pi in a project folder, below your home directory' }]);
  expect(manifest).toMatchObject({ mode: 'fallback', modeReason: expect.stringMatching(why), projectSnippets: [] });
  expect(isQuoted).toBe(false);
});

test('failed: where no index can be stored it says why, and what to do', async () => {
  writeFileSync(place.dataHome, 'a file stands where the folder should be');
  const { overview, manifest, isQuoted } = await after();
  expect(overview).toMatchObject({ status: 'failed', problems: [{ next: 'send a prompt to try again, or /context rebuild-index' }] });
  expect(manifest).toMatchObject({ mode: 'fallback', projectSnippets: [] });
  expect(isQuoted).toBe(false);
  expect(readFileSync(place.dataHome, 'utf8')).toBe('a file stands where the folder should be');
});

test('failed: a setting that the core refuses is named, and stops nothing else', async () => {
  const { overview, isQuoted } = await after({ settings: { contextEngine: { project: { languages: { inc: 'klingon' } } } } });
  expect(overview).toMatchObject({ status: 'failed', state: expect.stringContaining('klingon') });
  expect(overview.problems).toEqual([{ text: expect.stringContaining('klingon'), next: 'correct it under contextEngine in settings.json, then /reload' }]);
  expect(isQuoted).toBe(false);
});

test.each([{ mode: 'off' }, { delivery: 'off' }, { project: { enabled: false } }])('disabled: %o', async (contextEngine) => {
  const { overview, isQuoted } = await after({ settings: { contextEngine } });
  expect(overview).toMatchObject({ status: 'disabled', state: 'off, by the settings', problems: [{ text: 'It is switched off.' }] });
  expect([isQuoted, readdirSync(place.home)]).toEqual([false, ['.pi']]);
});

test.skipIf(!has('flock'))('partial: while another process holds the index, the reason is said, with the next step', async () => {
  const data = join(place.dataHome, 'pi-context-engine');
  const handle = await openProject({ path: place.project, trusted: true, dataDirectory: data });
  await handle.close();
  const locks = readdirSync(data, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.lock'));
  expect(locks).toHaveLength(1);
  const holder = spawn('flock', [join(data, locks[0] as string), 'sh', '-c', 'echo held; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  await once(holder.stdout, 'data');
  try {
    const { overview, manifest } = await after();
    expect(overview).toMatchObject({
      status: 'partial',
      problems: [{ text: expect.stringMatching(/^The index is partial: another process/), next: expect.stringContaining('/context rebuild-index') }],
    });
    expect(manifest).toMatchObject({ mode: 'managed', completeness: { complete: false } });
  } finally {
    process.kill(-Number(holder.pid));
  }
});

test('ready, with what a bound leaves out said: it was chosen, and counted', async () => {
  const pi = startRpc({ place, providerUrl: provider.url, settings: { contextEngine: { project: { maxFiles: 1 } } } });
  await untilReady(pi);
  const { reasons } = await report<{ reasons: string[] }>(pi, '/context project');
  const { excluded } = await report<Files>(pi, '/context files');
  await pi.close();
  expect(reasons).toEqual(['1 files are left out by the bound on the number of files']);
  expect(excluded).toMatchObject([{ rule: 'limit/files', files: 1 }]);
});

test('indexing: while the first sync runs the status line says how far it is', async () => {
  writeFiles(
    place.project,
    Object.fromEntries(Array.from({ length: 4_000 }, (_, at) => [`many/part${at}.ts`, `export const part${at} = ${at};\n`.repeat(40)])),
  );
  const pi = startRpc({ place, providerUrl: provider.url });
  const seen = new Set<string>();
  // The test's own time ends it.
  while (!seen.has('ready')) seen.add((await report<Overview>(pi, '/context')).status);
  const statuses = pi.records.filter(({ method }) => method === 'setStatus').map(({ statusText }) => statusText ?? '');
  await pi.close();
  // Before the first listing is done there is nothing to count.
  expect([...seen].filter((status) => status !== 'partial')).toEqual(['indexing', 'ready']);
  expect(statuses.some((text) => /^indexing \d+ %$/.test(text))).toBe(true);
});

test('untrusted: trust withdrawn, the stored index serves nothing, and /context offers to delete it', async () => {
  const trusted = await after({ trust: 'yes' });
  expect(trusted.isQuoted).toBe(true);
  const stored = () => readdirSync(place.dataHome, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.db'));
  expect(stored()).toHaveLength(1);
  mkdirSync(join(place.project, '.pi'), { recursive: true });
  const { overview, manifest, isQuoted } = await after({ trust: 'no' });
  expect(overview).toMatchObject({ status: 'untrusted', state: 'not trusted: nothing of it is read' });
  expect(overview.problems).toEqual([
    { text: 'The project is not trusted.', next: expect.stringContaining('/context forget deletes an index of it that is still stored') },
  ]);
  expect(manifest).toMatchObject({ mode: 'fallback', projectSnippets: [] });
  expect(isQuoted).toBe(false);

  const pi = startRpc({ place, providerUrl: provider.url, trust: 'no' });
  const forgetting = report(pi, '/context forget');
  const asked = await pi.waitFor(({ method }) => method === 'confirm', 0);
  pi.send({ type: 'extension_ui_response', id: asked.id, confirmed: true });
  expect(await forgetting).toEqual({ deleted: true });
  await pi.close();
  expect(stored()).toEqual([]);
});
