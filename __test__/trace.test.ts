// What the engine asks of the operating system, seen from outside it.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { git, project, repository } from './fixtures.ts';
import { freshPlace, PACKAGE, type Place, piCommand, removePlace } from './pi/host.ts';
import { type Provider, startProvider } from './pi/provider.ts';
import { has } from './pi/tools.ts';
import { type Call, naming, objection, outgoing, traced } from './pi/trace.ts';

const traceable = process.platform === 'linux' && has('strace', '-V');
const CODE = 'export function secretPlan(): number {\n  return 42;\n}\n';

// The path comes by the environment, which no call names.
const node = (script: string, env: Record<string, string>) =>
  traced([process.execPath, '-e', `const { openProject } = require(${JSON.stringify(join(PACKAGE, 'index.js'))});\n${script}`], {
    cwd: '/',
    env: { PATH: process.env.PATH, HOME: '/nowhere', ...env },
  });

describe.skipIf(!traceable)('the addon', () => {
  test('before trust: after it is loaded no call names the project or the data directory, and no file is touched that loading did not touch', async () => {
    const place = repository({ 'plan.ts': CODE });
    const env = { ROOT: place.root, DATA: place.data };
    const script = `
      const { statSync } = require('node:fs');
      (async () => {
        statSync('/trace-marker', { throwIfNoEntry: false });
        const { ROOT: path, DATA: dataDirectory } = process.env;
        const project = await openProject({ path, trusted: false, dataDirectory });
        const status = (await project.status()).status;
        const { messages, manifest } = await project.retrieve({ text: 'what does secretPlan do?' });
        const codes = [];
        const calls = [() => project.sync(), () => project.search({ text: 'secretPlan' }), () => project.read({ path: 'plan.ts' }), () => project.recheck({ text: 'x', snippets: [] })];
        for (const call of calls) codes.push(await call().then(() => 'served', (error) => error.code));
        await project.recordUsage(manifest.id, { inputTokens: 1 });
        await project.manifests();
        await project.close();
        console.log(JSON.stringify({ status, messages: messages.length, snippets: manifest.projectSnippets.length, revision: 'projectRevision' in manifest, codes }));
      })();`;
    const run = await node(script, env);
    expect(JSON.parse(run.stdout)).toEqual({ status: 'untrusted', messages: 0, snippets: 0, revision: false, codes: Array(4).fill('E_UNTRUSTED') });
    expect(run.calls.filter(({ name, text }) => name !== 'execve' && text.includes('/trace-marker'))).toHaveLength(1);
    expect(naming(run, place.root)).toEqual([]);
    expect(naming(run, place.data)).toEqual([]);
    expect(existsSync(place.data)).toBe(false);
    expect(outgoing(run)).toEqual([]);
    // No other way in either, such as a folder above: every path that is named is one that loading alone names.
    const loaded = await node(`require('node:fs').statSync('/trace-marker', { throwIfNoEntry: false });\nconsole.log('loaded');`, env);
    const named = (calls: Call[]) => new Set(calls.flatMap(({ text }) => text.match(/"\/[^"]*"/g) ?? []));
    const before = named(loaded.calls);
    const more = [...named(run.calls)].filter((path) => !before.has(path) && !/^"\/(proc|sys)\//.test(path));
    expect(more).toEqual([]);
  });

  test.each(['git', 'plain'])('after trust, over a full session in a %s folder: only reads below the root, no process, no socket, no lock', async (kind) => {
    const files = { 'plan.ts': CODE, 'src/other.ts': 'export const other = 1\n', '.gitignore': 'x.log\n', 'x.log': 'x' };
    const place = kind === 'git' ? repository(files) : project(files);
    if (kind === 'git') git(place.root, 'worktree', 'add', '-q', join(place.root, '..', 'second'));
    const root = kind === 'git' ? join(place.root, '..', 'second') : place.root;
    const script = `
      (async () => {
        const { ROOT: path, DATA: dataDirectory } = process.env;
        const project = await openProject({ path, trusted: true, dataDirectory });
        await project.sync();
        const ask = { text: 'what does \`secretPlan\` do?' };
        const { messages, manifest } = await project.retrieve(ask);
        const snippets = messages.map(({ snippet }) => ({ ...snippet, hash: snippet.hash.replace(/./g, '0') }));
        const again = await project.recheck({ text: ask.text, snippets });
        const hits = await project.search({ text: 'secretPlan' });
        const read = await project.read({ path: 'plan.ts' });
        await project.recordUsage(manifest.id, { inputTokens: 1 });
        await project.manifests();
        await project.sync({ force: true });
        const { status } = await project.status();
        await project.close();
        console.log(JSON.stringify({ status, messages: messages.length, renewed: again.messages.length, hits: hits.length, lines: read.totalLines }));
      })();`;
    const run = await node(script, { ROOT: root, DATA: place.data });
    expect(JSON.parse(run.stdout || run.stderr)).toEqual({ status: 'ready', messages: 1, renewed: 2, hits: 1, lines: 3 });
    const named = [...naming(run, place.root), ...naming(run, root)];
    expect(named.length).toBeGreaterThan(20);
    expect(named.map(objection).filter(Boolean)).toEqual([]);
    expect(outgoing(run)).toEqual([]);
    if (kind === 'git') expect(git(root, 'status', '--porcelain', '--ignored')).toBe('');
  });

  test('pipes, sockets and devices are looked at and never opened, by no route', async () => {
    const place = project({ 'plan.ts': CODE });
    const odd = ['pipe.ts', 'socket.ts', 'folder/pipe.ts'];
    mkdirSync(join(place.root, 'folder'));
    const make = (name: string, ...kind: string[]) => expect(spawnSync('mknod', [join(place.root, name), ...kind]).status, name).toBe(0);
    make('pipe.ts', 'p');
    make('folder/pipe.ts', 'p');
    // Only root makes devices: one that never ends, and one behind which there is nothing.
    if (process.getuid?.() === 0) {
      odd.push('endless.ts', 'nothing.ts');
      make('endless.ts', 'c', '1', '5');
      make('nothing.ts', 'b', '250', '250');
    }
    const server = createServer();
    await new Promise<void>((next) => server.listen(join(place.root, 'socket.ts'), next));
    const run = await node(
      `(async () => {
        const project = await openProject({ path: process.env.ROOT, trusted: true, dataDirectory: process.env.DATA });
        const { indexed, complete, excluded } = await project.sync();
        const codes = new Set();
        for (const path of process.env.ODD.split(',')) {
          const claim = { snippetId: '0'.repeat(64), path, hash: '0'.repeat(64), startLine: 1, endLine: 1 };
          codes.add((await project.recheck({ text: 'x', snippets: [claim] })).revoked[0].rule);
          for (const call of [() => project.read({ path }), () => project.outline(path)]) codes.add(await call().then(() => 'served', (error) => error.code));
        }
        await project.close();
        console.log(JSON.stringify({ indexed, complete, excluded, codes: [...codes] }));
      })();`,
      { ROOT: place.root, DATA: place.data, ODD: odd.join(',') },
    ).finally(() => server.close());
    const expected = { indexed: 1, complete: true, excluded: { 'path/special': odd.length }, codes: ['path/special', 'E_EXCLUDED'] };
    expect(JSON.parse(run.stdout || run.stderr)).toEqual(expected);
    const opened = run.calls.filter(({ name, text }) => /^open/.test(name) && odd.some((path) => text.includes(path.slice(path.indexOf('/') + 1))));
    expect(opened).toEqual([]);
    expect(run.calls.some(({ name, text }) => /stat/.test(name) && text.includes('pipe.ts'))).toBe(true);
  });
});

describe.skipIf(!traceable)('in Pi', () => {
  let provider: Provider;
  beforeAll(async () => {
    provider = await startProvider();
  });
  afterAll(() => provider.close());

  /** Each call that names the project, with what it names, sorted. */
  async function trace(place: Place, extension: string | null, trust: 'yes' | 'no'): Promise<string[]> {
    const { command, env } = piCommand({ place, providerUrl: provider.url, mode: 'print', prompts: ['What does secretPlan do?'], extension, trust });
    const run = await traced(command, { cwd: place.project, env });
    expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: '' });
    return naming(run, place.project)
      .map(({ name, text }) => `${name} ${(text.match(/[^"<\s]*\/project[^">\s,]*/g) ?? []).map((path) => path.slice(place.root.length)).join(' ')}`)
      .filter((line) => !/^(close|fcntl|fstat|fchdir) /.test(line))
      .sort();
  }

  test('an untrusted project is touched exactly as without the extension', async () => {
    const run = async (extension: string | null, trust: 'yes' | 'no') => {
      const place = freshPlace({ 'plan.ts': CODE, '.pi/settings.json': '{}' });
      try {
        return { calls: await trace(place, extension, trust), index: existsSync(place.dataHome) };
      } finally {
        removePlace(place);
      }
    };
    const without = await run(null, 'no');
    const untrusted = await run(PACKAGE, 'no');
    expect(untrusted).toEqual(without);
    const trusted = await run(PACKAGE, 'yes');
    expect(trusted.index).toBe(true);
    expect(trusted.calls.some((line) => line.includes('/project/plan.ts') || line.includes('plan.ts'))).toBe(true);
  });
});
