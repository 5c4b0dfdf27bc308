// Requests made from a repository's past: what is asked, of which tree, and what is not asked.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { git, scratch, write } from './fixtures.ts';
import { PACKAGE } from './pi/host.ts';

const SCRIPT = join(PACKAGE, 'bench/history.mjs');
const lines = (name: string, changed: Record<number, string> = {}) =>
  Array.from({ length: 20 }, (_, index) => `${changed[index + 1] ?? `${name} ${index + 1}`}\n`).join('');

/** A repository of its own folder of trees: two commits of before, then one of each sort. */
function past() {
  const trees = scratch();
  const root = join(trees, 'toy');
  mkdirSync(root);
  git(root, 'init', '-q');
  const commit = (message: string, files: Record<string, string>) => {
    write(root, files);
    git(root, 'add', '-A');
    git(root, 'commit', '-qm', message);
    return git(root, 'rev-parse', 'HEAD');
  };
  const start = commit('start', { 'src/server.js': lines('server'), 'src/queue.py': lines('queue'), 'src/side.ts': lines('side'), 'README.md': 'Toy.\n' });
  const base = commit('Close idle connections early', { 'src/server.js': lines('server', { 1: 'idle' }) });
  const plain = commit('Read the port from the settings', { 'src/server.js': lines('server', { 1: 'idle', 10: 'port' }) });
  commit('Use version 1.2.3', { 'src/server.js': lines('server', { 1: 'version', 10: 'port' }) });
  commit('docs: say what the queue keeps', { 'src/queue.py': `about\nthe queue\n${lines('queue')}` });
  const fresh = commit('Add a cache of answers', { 'src/cache.js': lines('cache') });
  const cleaned = commit(
    '✨ fix(queue): keep the order of jobs (#12)\n\n## Motivation\n\nJobs in lib/old/queue.py came late, says @somebody,\nsee https://example.invalid/12 and toy#13, with @toy/jobs.\nFixes #12\n\nMore.\n\nSigned-off-by: A B <a@example.invalid>',
    { 'src/queue.py': `about\nthe queue\n${lines('queue', { 3: 'first', 18: 'last' })}`, 'tests/queue.py': 'test\n' },
  );
  git(root, 'switch', '-qc', 'side', base);
  const merged = commit('Show the side on demand', { 'src/side.ts': lines('side', { 20: 'shown' }) });
  git(root, 'switch', '-q', 'main');
  git(root, 'merge', '-q', '--no-ff', '-m', "Merge branch 'side'", 'side');
  commit('Close idle connections early', { 'src/server.js': lines('server', { 1: 'early', 10: 'port' }) });
  commit('Cover what the queue keeps', { 'tests/queue.py': 'tests\n' });
  return { trees, root, start, base, plain, fresh, cleaned, merged };
}

const run = (...args: string[]) => execFileSync(process.execPath, [SCRIPT, ...args], { encoding: 'utf8' });

test('a step asks what came after it, of the tree as it was', () => {
  const { trees, root, start, base, plain, cleaned, merged } = past();
  const out = join(scratch(), 'out');
  const printed = run('--changes', '4', trees, out);

  const record = (index: number, query: string, truth: string, regions: [string, number, number][], commit: string) =>
    `${JSON.stringify({ id: `toy-01-00${index}`, repo: 'toy-01', base, kind: 'change', query, truth: [truth], regions, commit })}\n`;
  const regions: [string, number, number][] = [
    ['src/queue.py', 1, 5],
    ['src/queue.py', 16, 20],
  ];
  const query = 'fix(queue): keep the order of jobs Jobs in came late, says , see and, with @toy/jobs.';
  expect(readdirSync(join(out, 'data'))).toEqual(['toy-01.jsonl']);
  expect(readFileSync(join(out, 'data/toy-01.jsonl'), 'utf8')).toBe(
    record(0, 'Read the port from the settings', 'src/server.js', [['src/server.js', 8, 12]], plain) +
      record(1, query, 'src/queue.py', regions, cleaned) +
      record(2, 'Show the side on demand', 'src/side.ts', [['src/side.ts', 18, 20]], merged),
  );

  const tree = join(out, 'trees/toy-01');
  expect(git(tree, 'rev-parse', 'HEAD')).toBe(base);
  expect(git(tree, 'status', '--porcelain')).toBe('');
  expect(git(tree, 'for-each-ref')).toBe('');
  expect(git(tree, 'remote')).toBe('');
  expect(git(tree, 'rev-list', '--all', '--reflog', 'HEAD').split('\n')).toEqual([base, start]);
  const row = printed.split('\n').find((line) => line.includes("'toy'")) ?? '';
  const cells = row.split('│').map((cell) => cell.trim());
  expect(cells.slice(2, -1)).toEqual(["'toy'", '1', `'${git(root, 'log', '-1', '--format=%cs', base)}'`, '4', '3']);
});

test('a step whose changes the older tree does not know is left out', () => {
  const { trees, root, fresh, merged } = past();
  const out = join(scratch(), 'out');
  run('--changes', '1', '--steps', '4', trees, out);
  const commits = (name: string) =>
    readFileSync(join(out, 'data', name), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).commit);
  // The third step has only the file that is new in it.
  expect(readdirSync(join(out, 'data'))).toEqual(['toy-01.jsonl', 'toy-02.jsonl', 'toy-04.jsonl']);
  expect(readdirSync(join(out, 'trees'))).toEqual(['toy-01', 'toy-02', 'toy-04']);
  expect(commits('toy-01.jsonl')).toEqual([merged]);
  expect(git(join(out, 'trees/toy-02'), 'rev-parse', 'HEAD')).toBe(fresh);
  expect(git(root, 'status', '--porcelain')).toBe('');
});

test('nothing is written into a folder that is there', () => {
  const out = scratch();
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, out, out], { encoding: 'utf8' });
  expect(status).toBe(2);
  expect(stderr).toContain('usage: npm run bench:history');
  expect(readdirSync(out)).toEqual([]);
});
