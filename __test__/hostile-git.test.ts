// Layouts and settings of Git, through the addon. What the listing itself does stands beside it, in Rust.
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openProject } from '../index.js';
import { git, project, repository, write } from './fixtures.ts';

const open = (place: { root: string; data: string }) => openProject({ path: place.root, trusted: true, dataDirectory: place.data });

it('A6, G7, G12: no command runs, the index file is as it was, and nothing is new in the project', async () => {
  const place = repository({ 'a.ts': 'export const alpha = 1\n' });
  const marker = join(place.root, '..', 'marker');
  git(place.root, 'config', 'core.fsmonitor', `touch ${marker}; false`);
  git(place.root, 'config', 'filter.x.clean', `touch ${marker}; cat`);
  write(place.root, { '.git/info/attributes': '* filter=x\n', 'a.ts': 'export const alpha = 2\n' });
  const index = () => ({ bytes: readFileSync(join(place.root, '.git/index')), time: statSync(join(place.root, '.git/index'), { bigint: true }).mtimeNs });
  const before = index();
  const handle = await open(place);
  expect(await handle.sync()).toMatchObject({ source: 'git', indexed: 1 });
  expect((await handle.retrieve({ text: 'what is `alpha`?' })).messages[0]?.text).toContain('alpha = 2');
  await handle.close();
  expect(existsSync(marker)).toBe(false);
  expect(index()).toEqual(before);
  git(place.root, 'config', '--unset', 'core.fsmonitor');
  git(place.root, 'config', '--unset', 'filter.x.clean');
  expect(git(place.root, 'status', '--porcelain', '--ignored')).toBe('M a.ts');
});

it("G1, G2: two worktrees are two projects, and one inside the other's folder is left out of it", async () => {
  const place = repository({ 'a.ts': 'export function answer() {\n  return "main";\n}\n' });
  git(place.root, 'worktree', 'add', '-q', '-b', 'other', '.worktrees/other');
  const other = { root: join(place.root, '.worktrees/other'), data: place.data };
  write(other.root, { 'a.ts': 'export function answer() {\n  return "other";\n}\n' });
  const answers = [];
  for (const at of [place, other]) {
    const handle = await open(at);
    await handle.sync();
    const { messages } = await handle.retrieve({ text: 'what does `answer` return?' });
    answers.push(messages.map(({ snippet, text }) => [snippet?.path, /main|other/.exec(text.slice(text.indexOf('Quoted source JSON')))?.[0]]));
    expect((await handle.status()).revision?.branch).toBe(at === place ? 'main' : 'other');
    await handle.close();
  }
  expect(answers).toEqual([[['a.ts', 'main']], [['a.ts', 'other']]]);
});

it('F4, F5, B14: rules and texts of one project never reach another in the same process, whatever its name', async () => {
  const one = project({ '.gitignore': '*.md\n', 'a.md': '# Alpha heading\n', 'a.ts': 'export const alpha = 1\n' });
  const two = { ...project({ 'a.md': '# Alpha heading\n', 'a.ts': 'export const alpha = 2\n', 'dist/b.ts': '', 'node_modules/c.ts': '' }), data: one.data };
  const handles = [await open(one), await open(two)];
  const reports = await Promise.all(handles.map((handle) => handle.sync()));
  expect(reports.map(({ indexed }) => indexed)).toEqual([2, 2]);
  const texts = await Promise.all(
    handles.map(async (handle) => (await handle.search({ text: 'alpha' })).map(({ snippet, text }) => `${snippet.path}: ${text}`).sort()),
  );
  expect(texts).toEqual([['a.ts: export const alpha = 1'], ['a.md: # Alpha heading', 'a.ts: export const alpha = 2']]);
  for (const handle of handles) await handle.close();
});

it('F3: ignore files of other tools have no effect', async () => {
  const files = ['.dockerignore', '.prettierignore', '.ignore', '.npmignore', '.eslintignore', '.rgignore'];
  const place = project({ 'a.ts': 'export const alpha = 1\n', ...Object.fromEntries(files.map((name) => [name, '*\n'])) });
  const handle = await open(place);
  await handle.sync();
  expect((await handle.read({ path: 'a.ts' })).totalLines).toBe(1);
  expect(await handle.search({ text: 'alpha' })).toHaveLength(1);
  await handle.close();
});

it('F10, F13, F19: a language that is not parsed is text, a file above the bound is counted, and encodings are read', async () => {
  const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('export function wideName() {}\n', 'utf16le')]);
  const place = project({
    'a.nim': 'proc nimName() = discard\n',
    'big.ts': `export const bigName = 1\n${'// x\n'.repeat(150_000)}`,
    'wide.ts': utf16,
    'bom.ts': '\uFEFFexport function bomName() {}\n',
    'latin.ts': Buffer.from('export const latinName = "caf\u00e9"\n', 'latin1'),
  });
  const handle = await open(place);
  expect(await handle.sync()).toMatchObject({ indexed: 4, excluded: { 'size/file': 1 } });
  for (const [word, path] of [
    ['nimName', 'a.nim'],
    ['wideName', 'wide.ts'],
    ['bomName', 'bom.ts'],
    ['latinName', 'latin.ts'],
  ]) {
    expect((await handle.search({ text: word as string }))[0]?.snippet.path, word).toBe(path);
  }
  await handle.close();
});

it('G11: what a nested repository switches to is seen where it is the project', async () => {
  const place = repository({ 'a.ts': 'export const version = "first"\n' });
  git(place.root, 'checkout', '-qb', 'second');
  write(place.root, { 'a.ts': 'export const version = "second, and longer"\n' });
  git(place.root, 'commit', '-qam', 'second');
  const handle = await open(place);
  const seen = [];
  for (const branch of ['second', 'main', 'second']) {
    git(place.root, 'checkout', '-q', branch);
    await handle.sync();
    seen.push([(await handle.status()).revision?.branch, (await handle.search({ text: 'version' }))[0]?.text.includes('second')]);
  }
  expect(seen).toEqual([
    ['second', true],
    ['main', false],
    ['second', true],
  ]);
  await handle.close();
});

it('G8: the environment of a hook does not redirect', async () => {
  const place = repository({ 'a.ts': 'export const ours = 1\n' });
  const other = repository({ 'b.ts': 'export const theirs = 1\n' });
  write(other.root, { '.git/info/exclude': '*\n' });
  writeFileSync(join(other.root, 'config'), '[core]\n excludesFile = /dev/zero\n');
  const { spawnSync } = await import('node:child_process');
  const script = `const { openProject } = require(${JSON.stringify(new URL('../index.js', import.meta.url).pathname)});
    openProject({ path: process.argv[1], trusted: true, dataDirectory: process.argv[2] }).then(async (handle) => {
      const { source, indexed, gitProblem } = await handle.sync();
      const { revision } = await handle.status();
      console.log(JSON.stringify({ source, indexed, gitProblem, head: revision.head }));
      await handle.close();
    });`;
  const env = {
    PATH: process.env.PATH,
    HOME: join(place.root, '..'),
    GIT_DIR: join(other.root, '.git'),
    GIT_WORK_TREE: other.root,
    GIT_COMMON_DIR: join(other.root, '.git'),
    GIT_INDEX_FILE: join(other.root, '.git/index'),
    GIT_CONFIG: join(other.root, 'config'),
    GIT_CONFIG_GLOBAL: join(other.root, 'config'),
    GIT_CONFIG_SYSTEM: join(other.root, 'config'),
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'core.excludesFile',
    GIT_CONFIG_VALUE_0: '/dev/zero',
    GIT_CEILING_DIRECTORIES: place.root,
    GIT_OBJECT_DIRECTORY: '/nowhere',
  };
  const child = spawnSync(process.execPath, ['-e', script, place.root, place.data], { encoding: 'utf8', env });
  expect(JSON.parse(child.stdout || child.stderr)).toEqual({ source: 'git', indexed: 1, head: place.head });
});
