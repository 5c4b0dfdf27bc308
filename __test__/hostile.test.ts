// Projects written by somebody who wants the reader's files, or wants it to hang: what may be read is one question with one answer.
import { spawnSync } from 'node:child_process';
import { chmodSync, linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openProject, type Project } from '../index.js';
import { git, project, repository, scratch, sha256, write } from './fixtures.ts';

const open = (place: { root: string; data: string }) => openProject({ path: place.root, trusted: true, dataDirectory: place.data });

/** The code and rule with which a call fails. */
async function refusal(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return [code, /the rule (\S+)$/.exec(message)?.[1]].filter(Boolean).join(' ');
  }
  return 'served';
}

/** What every route says of a path: by its name, by its words, and as a snippet that a caller claims to hold. */
async function routes(handle: Project, path: string, word: string) {
  const read = await refusal(handle.read({ path }));
  const found = (await handle.search({ text: word })).filter((hit) => hit.snippet.path === path).length;
  const { messages } = await handle.retrieve({ text: `what does \`${word}\` in ${path} do?` });
  const quoted = messages.filter((message) => message.snippet?.path === path).length;
  const claim = { snippetId: sha256('x'), path, hash: sha256('y'), startLine: 1, endLine: 1 };
  const again = await handle.recheck({ text: word, snippets: [claim] });
  const renewed = again.messages.filter((message) => message.snippet).length;
  return { read, found, quoted, renewed, revoked: again.revoked.map(({ rule }) => rule) };
}

const kept = (rule: string) => ({ read: `E_EXCLUDED ${rule}`, found: 0, quoted: 0, renewed: 0, revoked: [rule] });

describe('B5: what the listing leaves out is served by no route', () => {
  const code = (word: string) => `export function ${word}(): number {\n  return 1;\n}\n`;

  it('in a Git work tree', async () => {
    const place = repository({ '.gitignore': 'private/\n*.draft.ts\n', 'src/a.ts': code('plainOne'), 'src/bin/tool.ts': code('trackedTool') });
    write(place.root, {
      'private/plan.ts': code('ignoredFolder'),
      'src/b.draft.ts': code('ignoredName'),
      'dist/out.ts': code('builtOutput'),
      'node_modules/x/index.ts': code('dependency'),
      'nested/inner.ts': code('innerRepository'),
      'store/HEAD': 'ref: refs/heads/main\n',
      'store/objects/x': '',
      'store/refs/x': '',
      'store/hook.ts': code('gitDirectory'),
      '.git/hooks/x.ts': code('dotGit'),
    });
    git(join(place.root, 'nested'), 'init', '-q');
    const handle = await open(place);
    await handle.sync();
    const expected: Record<string, [string, string]> = {
      ignoredFolder: ['private/plan.ts', 'path/ignored'],
      ignoredName: ['src/b.draft.ts', 'path/ignored'],
      builtOutput: ['dist/out.ts', 'directory/build-output'],
      dependency: ['node_modules/x/index.ts', 'directory/dependencies'],
      innerRepository: ['nested/inner.ts', 'directory/nested-repository'],
      gitDirectory: ['store/hook.ts', 'directory/vcs'],
      dotGit: ['.git/hooks/x.ts', 'directory/vcs'],
    };
    for (const [word, [path, rule]] of Object.entries(expected)) expect(await routes(handle, path, word), path).toEqual(kept(rule));
    for (const [path, word] of [
      ['src/a.ts', 'plainOne'],
      ['src/bin/tool.ts', 'trackedTool'],
    ] as const) {
      expect(await routes(handle, path, word), path).toMatchObject({ read: 'served', found: 1, quoted: 1, renewed: 1, revoked: [] });
    }
    await handle.close();
  });

  it('outside Git', async () => {
    const place = project({ '.gitignore': '/private/\n', 'sub/.gitignore': 'x*\n!xkeep.ts\n' });
    write(place.root, { 'private/p.ts': code('privateOne'), 'sub/xa.ts': code('ignoredHere'), 'sub/xkeep.ts': code('keptHere'), 'build/b.ts': code('builtHere') });
    const handle = await open(place);
    await handle.sync();
    expect(await routes(handle, 'private/p.ts', 'privateOne')).toEqual(kept('path/ignored'));
    expect(await routes(handle, 'sub/xa.ts', 'ignoredHere')).toEqual(kept('path/ignored'));
    expect(await routes(handle, 'build/b.ts', 'builtHere')).toEqual(kept('directory/build-output'));
    expect(await routes(handle, 'sub/xkeep.ts', 'keptHere')).toMatchObject({ read: 'served', found: 1, quoted: 1, renewed: 1 });
    await handle.close();
  });

  it('B9: what was excluded after it was indexed goes at once, and from the index at the next sync', async () => {
    const place = repository({ 'src/a.ts': code('soonIgnored'), 'src/b.ts': code('other') });
    git(place.root, 'rm', '-q', '--cached', 'src/a.ts');
    const handle = await open(place);
    await handle.sync();
    expect(await routes(handle, 'src/a.ts', 'soonIgnored')).toMatchObject({ read: 'served', found: 1, quoted: 1, renewed: 1 });
    write(place.root, { '.gitignore': 'src/a.ts\n' });
    expect(await routes(handle, 'src/a.ts', 'soonIgnored')).toEqual(kept('path/ignored'));
    expect(await handle.sync()).toMatchObject({ removed: 1 });
    expect(await routes(handle, 'src/a.ts', 'soonIgnored')).toEqual(kept('path/ignored'));
    await handle.close();
  });

  it('a credential file is excluded under each of its names, also when one is made later', async () => {
    const place = project({ '.env': 'COLOUR=blue\n', 'a.ts': code('harmless') });
    linkSync(join(place.root, '.env'), join(place.root, 'notes.ts'));
    const handle = await open(place);
    expect((await handle.sync()).excluded).toEqual({ 'name/credentials': 2 });
    expect(await refusal(handle.read({ path: 'notes.ts' }))).toBe('E_EXCLUDED name/credentials');
    rmSync(join(place.root, 'a.ts'));
    linkSync(join(place.root, '.env'), join(place.root, 'a.ts'));
    expect(await routes(handle, 'a.ts', 'harmless')).toEqual(kept('name/credentials'));
    await handle.close();
  });
});
