// Declarations and task descriptors, for hosts that ask for them by name.
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeTask, openProject, parseSource } from '../index.js';
import { project, sha256, write } from './fixtures.js';

const STORE = `import { Disk } from './disk'

/** Keeps things. */
export class Store {
  /** Puts one. */
  put(key: string,
      value: string): void {
    new Disk().write(key, value)
  }
}
`;

const code = (promise: Promise<unknown>) =>
  promise.then(
    () => 'no error',
    (error: { code: string }) => error.code,
  );

test('an outline gives the declarations of a file as it is now', async () => {
  const place = project({ 'src/store.ts': STORE, '.env': 'A=1\n' });
  const handle = await openProject({ path: place.root, trusted: true, dataDirectory: place.data });
  await handle.sync();
  expect(await handle.outline('src/store.ts')).toEqual({
    path: 'src/store.ts',
    hash: sha256(STORE),
    language: 'typescript',
    parser: expect.stringMatching(/^tree-sitter-typescript@/),
    imports: ['./disk'],
    symbols: [
      {
        kind: 'class',
        name: 'Store',
        qualifiedName: 'Store',
        signature: 'export class Store',
        startLine: 4,
        endLine: 10,
        docStartLine: 3,
        exported: true,
        references: [],
      },
      {
        kind: 'method',
        name: 'put',
        qualifiedName: 'Store.put',
        parent: 'Store',
        signature: 'put(key: string, value: string): void',
        startLine: 6,
        endLine: 9,
        docStartLine: 5,
        exported: true,
        references: ['write', 'Disk'],
      },
    ],
  });
  write(place.root, { 'src/store.ts': STORE.replace('put(', 'set(') });
  expect((await handle.outline('src/store.ts')).symbols.map(({ qualifiedName }) => qualifiedName)).toEqual(['Store', 'Store.set']);
  expect(await code(handle.outline('.env'))).toBe('E_EXCLUDED');
  expect(await code(handle.outline('src/none.ts'))).toBe('E_NOT_FOUND');
  expect(await code(handle.outline('../x.ts'))).toBe('E_PATH_INVALID');
  await handle.close();
});

test('definitions of a name come from live files, whatever the index knew', async () => {
  const place = project({ 'a.ts': 'export function place(): void {}\n', 'b.ts': 'class Other {\n  place() {}\n}\n', 'c.ts': 'export const Place = 1\n' });
  const handle = await openProject({ path: place.root, trusted: true, dataDirectory: place.data });
  await handle.sync();
  const found = async (name: string) =>
    (await handle.definitions(name)).map(({ path, symbol }) => `${path}:${symbol.startLine} ${symbol.kind} ${symbol.qualifiedName}`);
  expect(await found('place')).toEqual(['a.ts:1 function place', 'b.ts:2 method Other.place', 'c.ts:1 constant Place']);
  expect(await found('Other.place')).toEqual(['b.ts:2 method Other.place']);
  write(place.root, { 'a.ts': '\n\nexport function place(): void {}\n' });
  rmSync(join(place.root, 'c.ts'));
  symlinkSync('/etc/hostname', join(place.root, 'c.ts'));
  expect(await found('place')).toEqual(['a.ts:3 function place', 'b.ts:2 method Other.place']);
  expect(await found('nothing')).toEqual([]);
  expect(await code(handle.definitions('place', 0))).toBe('E_INVALID_ARGUMENT');
  await handle.close();
});

test('a text is parsed and a request described without any project', async () => {
  const outline = await parseSource('lib/a.js', 'exports.run = function run() {}\n');
  expect(outline).toMatchObject({ path: 'lib/a.js', language: 'javascript', symbols: [{ kind: 'function', name: 'run', exported: true }] });
  expect(await code(parseSource('/etc/x.ts', ''))).toBe('E_PATH_INVALID');
  expect(await describeTask('Why does `Store.put` in src/store.ts:7 throw ENOENT?')).toMatchObject({
    files: [{ path: 'src/store.ts', line: 7 }],
    symbols: ['Store.put'],
    errors: ['ENOENT'],
  });
  expect((await describeTask('go on')).kind).toBe('empty');
});
