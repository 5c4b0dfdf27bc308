// What the index takes in and leaves out, its bounds, its processes, and what it tells of itself.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openProject } from '../index.js';
import { project, repository, scratch, sha256, write } from './fixtures.js';

const ADDON = new URL('../index.js', import.meta.url).pathname;
const source = (name: string) => `export function ${name}(): number {\n  return 1;\n}\n`;
const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`src/f${at}.ts`, source(`count${at}`).repeat(30)]));
const open = (place: { root: string; data: string }, more = {}) => openProject({ path: place.root, trusted: true, dataDirectory: place.data, ...more });
const code = async (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'no error',
    (error: { code: string }) => error.code,
  );

describe('what is taken in', () => {
  it('is decided by .agentignore and the user, and each path can be explained', async () => {
    const files = {
      '.gitignore': '/gen/\n',
      '.agentignore': '/private/\n!.env\n',
      'a.ts': source('first'),
      'a.inc': source('mapped'),
      'gen/b.ts': source('second'),
      'private/c.ts': source('third'),
      '.env': 'TOKEN=1\n',
      'key.ts': `const key = "-----BEGIN RSA PRIVATE KEY-----\\n${'MIIEowIBAAKCAQEAvRq8Zk3xT1'.repeat(8)}\\n-----END RSA PRIVATE KEY-----"\n`,
    };
    const place = repository(files);
    const handle = await open(place, { include: ['/gen/'], languages: { '.INC': 'typescript' } });
    await handle.sync();
    write(place.root, { 'late.ts': source('late') });
    const states = await Promise.all(
      ['a.ts', 'gen/b.ts', 'private/c.ts', '.env', 'key.ts', 'late.ts', 'none.ts'].map(async (path) => {
        const { state, rule } = await handle.explainPath(path);
        return [path, state, rule];
      }),
    );
    expect(states).toEqual([
      ['a.ts', 'indexed', undefined],
      ['gen/b.ts', 'indexed', undefined],
      ['private/c.ts', 'excluded', 'path/agentignore'],
      ['.env', 'excluded', 'name/credentials'],
      ['key.ts', 'excluded', 'secret/private-key'],
      ['late.ts', 'pending', undefined],
      ['none.ts', 'absent', undefined],
    ]);
    expect(await handle.explainPath('a.inc')).toMatchObject({
      state: 'indexed',
      language: 'typescript',
      hash: sha256(files['a.inc']),
      lines: 3,
      tracked: true,
    });
    expect((await handle.outline('a.inc')).symbols.map(({ name }) => name)).toEqual(['mapped']);
    const { languages, excluded } = await handle.files();
    expect(languages[0]).toMatchObject({ language: 'typescript', files: 3, lines: 9, symbols: 3 });
    expect(excluded).toEqual([
      { rule: 'name/credentials', summary: expect.stringContaining('credentials'), files: 1, paths: ['.env'] },
      { rule: 'path/agentignore', summary: expect.stringContaining('.agentignore'), files: 1, paths: ['private'] },
      { rule: 'secret/private-key', summary: 'Private keys', files: 1, paths: ['key.ts'] },
    ]);
    const pathsOf = async (rule: string, after?: string) => (await handle.files({ rule, after })).excluded.map(({ paths }) => paths);
    expect(await pathsOf('secret/private-key')).toEqual([['key.ts']]);
    expect(await pathsOf('secret/private-key', 'key.ts')).toEqual([[]]);
    expect(await pathsOf('name/lock-file')).toEqual([]);
    for (const asked of [{ after: 'a' }, { rule: 'no/rule' }]) {
      await expect(handle.files(asked)).rejects.toMatchObject({ code: 'E_INVALID_ARGUMENT' });
    }
    expect((await handle.status()).limitations).toEqual([]);
    expect(await code(handle.explainPath('../x'))).toBe('E_PATH_INVALID');
    await handle.close();
    for (const more of [{ include: ['src/[z-a]'] }, { languages: { inc: 'klingon' } }, { languages: { 'a/b': 'php' } }]) {
      expect(await code(open(place, more)), JSON.stringify(more)).toBe('E_INVALID_ARGUMENT');
    }
  });

  it('is bounded, and what a bound leaves out is counted and named', async () => {
    const place = project({ 'a.ts': source('one'), 'b.md': 'prose\n', 'c.cr': 'def x\nend\n', 'd/e/f.ts': source('deep') });
    const handle = await open(place, { bounds: { maxFiles: 3 } });
    expect(await handle.sync()).toMatchObject({ complete: true, listed: 3, excluded: { 'limit/files': 1 } });
    expect(await handle.explainPath('c.cr')).toMatchObject({ state: 'excluded', rule: 'limit/files' });
    expect(await handle.status()).toMatchObject({ status: 'ready', reasons: ['1 files are left out by the bound on the number of files'] });
    await handle.close();
    const walked = await open(place, { bounds: { maxDirectories: 1 } });
    expect(await walked.sync()).toMatchObject({ cutAt: 4 });
    expect((await walked.status()).reasons).toEqual(['cut at 4 names: the listing stopped at its bound on names or folders']);
    await walked.close();
  });

  it('leaves no byte behind once a rule keeps it out', async () => {
    const place = repository({ 'a.ts': source('zyzzyvaGone'), 'b.ts': source('zyzzyvaHidden'), 'c.ts': source('staying') });
    const handle = await open(place);
    await handle.sync();
    rmSync(join(place.root, 'a.ts'));
    write(place.root, { '.agentignore': 'b.ts\n' });
    await handle.sync();
    await handle.close();
    const folder = join(place.data, 'projects');
    for (const file of readdirSync(folder)) expect(readFileSync(join(folder, file)).toString('latin1').toLowerCase(), file).not.toContain('zyzzyva');
  });
});

describe('status', () => {
  it('has each of its values', async () => {
    const place = project(many(300));
    const seen: string[] = [];
    for (const handle of await Promise.all([
      openProject({ path: place.root, trusted: false, enabled: false, dataDirectory: place.data }),
      open(place, { enabled: false }),
      open({ root: '/', data: scratch() }),
    ])) {
      seen.push((await handle.status()).status);
      expect(await code(handle.files())).toBe({ untrusted: 'E_UNTRUSTED', disabled: 'E_DISABLED', refused: 'E_ROOT_REFUSED' }[seen.at(-1) ?? '']);
      await handle.close();
    }
    expect(readdirSync(join(place.data, '..'))).toEqual(['project']);
    const handle = await open(place);
    seen.push((await handle.status()).status);
    // Asked at each step of a sync: a step is told when it is past, so that the last ones can find the sync at its end.
    const during: Promise<{ status: string }>[] = [];
    for (let tries = 0; tries < 20 && !seen.includes('indexing'); tries += 1) {
      await handle.sync({ force: true, onProgress: () => during.push(handle.status()) });
      seen.push(...new Set((await Promise.all(during.splice(0))).map(({ status }) => status).filter((status) => status === 'indexing')));
    }
    seen.push((await handle.status()).status);
    await handle.close();
    const broken = scratch();
    mkdirSync(join(broken, 'projects'));
    writeFileSync(join(broken, 'projects', `${sha256(place.root).slice(0, 32)}.db`), 'not ours');
    const failed = await open({ root: place.root, data: broken });
    seen.push((await failed.status()).status);
    expect(await code(failed.sync())).toBe('E_STORE_UNAVAILABLE');
    await failed.close();
    expect(seen).toEqual(['untrusted', 'disabled', 'refused', 'partial', 'indexing', 'ready', 'failed']);
  });
});

/** A child that opens the place and runs `body` with `project`; it tells lines. */
function child(place: { root: string; data: string }, body: string) {
  const script = `const { openProject } = require(process.argv[1]);
    (async () => { const project = await openProject({ path: process.argv[2], trusted: true, dataDirectory: process.argv[3] }); ${body} })();`;
  return spawn(process.execPath, ['-e', script, ADDON, place.root, place.data], { stdio: ['ignore', 'pipe', 'inherit'] });
}

/**
 * A place whose lock a child holds that stopped in the midst of its first sync, and a handle on it. Progress reaches the child's script by a queue, so
 * a quick sync can be over before the script stops it: then the next place is tried.
 */
async function stoppedInMidSync(files: number) {
  for (let tries = 0; tries < 20; tries += 1) {
    const place = project(many(files));
    const holder = child(
      place,
      `let told = false;
      await project.sync({ onProgress: ({ done }) => { if (done > 100 && !told) { told = true; process.kill(process.pid, 'SIGSTOP'); } } });
      process.exit();`,
    );
    onTestFinished(() => void holder.kill('SIGKILL'));
    while (holder.exitCode === null && processState(holder.pid) !== 'T') await new Promise((later) => setTimeout(later, 10));
    const handle = await open(place);
    const report = await handle.sync();
    if (!report.complete) {
      expect(report).toMatchObject({ complete: false, incompleteReason: 'another process is indexing' });
      return { place, holder, handle };
    }
    await handle.close();
    holder.kill('SIGKILL');
  }
  throw new Error('no sync was stopped in its midst');
}

/** The letter that Linux gives a process's state: `T` where it is stopped, none where it is gone. */
function processState(pid: number | undefined): string | undefined {
  try {
    return /^State:\s+(\w)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}

describe('several processes', () => {
  it('a holder of the lock that is killed blocks nobody, and one that lives bars no reader', async () => {
    const { place, holder, handle } = await stoppedInMidSync(1_200);
    const { messages, manifest } = await handle.retrieve({ text: 'what does `count0` do?' });
    expect([messages[0]?.snippet?.path, manifest.completeness.complete]).toEqual(['src/f0.ts', false]);
    // What changed meanwhile is quoted as it is, from memory.
    write(place.root, { 'src/f0.ts': `// moved\n\n${source('count0')}` });
    const moved = (await handle.retrieve({ text: 'what does `count0` do?' })).messages[0];
    expect(moved?.snippet).toMatchObject({ path: 'src/f0.ts', hash: sha256(`// moved\n\n${source('count0')}`), startLine: 3 });
    holder.kill('SIGKILL');
    await once(holder, 'close');
    expect(await handle.sync()).toMatchObject({ complete: true, listed: 1_200 });
    await handle.close();
  });
});

it('a rebuild starts anew, keeps the manifests, and answers again', async () => {
  const place = project(many(20));
  const handle = await open(place);
  await handle.sync();
  const { manifest } = await handle.retrieve({ text: 'what does `count7` do?' });
  expect(await handle.rebuild()).toMatchObject({ complete: true, indexed: 20, reused: 0 });
  const { messages } = await handle.retrieve({ text: 'what does `count7` do?' });
  expect([...new Set(messages.map(({ snippet }) => snippet?.path))]).toEqual(['src/f7.ts']);
  expect(await handle.manifest(manifest.id)).toMatchObject({ id: manifest.id });
  await handle.close();
});

it('a file made just before the request and named in it is found, although a sync is under way', async () => {
  const place = project(many(2_000));
  const handle = await open(place);
  let named: Promise<unknown> | undefined;
  const whole = handle.sync({
    onProgress: () => {
      if (named) return;
      write(place.root, { 'zz/brand-new.ts': source('brandNew') });
      named = code(handle.sync({ first: ['zz/brand-new.ts'], deadlineMs: 60_000 }));
    },
  });
  await whole;
  expect(await named).toBe('no error');
  expect((await handle.retrieve({ text: 'what does zz/brand-new.ts do?' })).messages[0]?.snippet?.path).toBe('zz/brand-new.ts');
  await handle.close();
});

it('a worker thread answers as the main thread does, each with a root of its own', async () => {
  const [here, there] = [project({ 'a.ts': source('hereOnly') }), project({ 'b.ts': source('thereOnly') })];
  const script = `const { workerData, parentPort } = require('node:worker_threads');
    (async () => { const { openProject } = require(workerData.addon); const project = await openProject({ path: workerData.root, trusted: true, dataDirectory: workerData.data });
      await project.sync(); const { messages } = await project.retrieve({ text: '\`thereOnly\` and \`hereOnly\`' }); await project.close();
      parentPort.postMessage(messages.map(({ snippet }) => snippet.path)); })();`;
  const worker = new Worker(script, { eval: true, workerData: { ...there, addon: ADDON } });
  const told = once(worker, 'message');
  const handle = await open(here);
  await handle.sync();
  const own = (await handle.retrieve({ text: '`thereOnly` and `hereOnly`' })).messages.map(({ snippet }) => snippet?.path);
  expect([own, (await told)[0]]).toEqual([['a.ts'], ['b.ts']]);
  await handle.close();
});
