// Fixtures: real files and real Git repositories in folders that the test process removes at its end.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';

const made: string[] = [];
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

/** A new empty folder, canonical. */
export function scratch(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pi-context-')));
  made.push(folder);
  return folder;
}

/** Writes files, by path relative to the folder. */
export function write(folder: string, files: Record<string, string | Uint8Array>): void {
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}

/** A project outside Git, with a data directory beside it. */
export function project(files: Record<string, string | Uint8Array>): { root: string; data: string } {
  const base = scratch();
  const root = join(base, 'project');
  mkdirSync(root);
  write(root, files);
  return { root, data: join(base, 'data') };
}

/** Runs git with an identity and without the user's configuration. */
export function git(folder: string, ...args: string[]): string {
  const env = { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };
  return execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.invalid', '-c', 'init.defaultBranch=main', ...args], {
    cwd: folder,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();
}

/** A project that is a Git repository with one commit of all its files. */
export function repository(files: Record<string, string | Uint8Array>): { root: string; data: string; head: string } {
  const place = project(files);
  git(place.root, 'init', '-q');
  git(place.root, 'add', '-A');
  git(place.root, 'commit', '-qm', 'start');
  return { ...place, head: git(place.root, 'rev-parse', 'HEAD') };
}

export const sha256 = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex');

/** The id of a symbol's snippet, computed as the documentation gives it. */
export function symbolSnippetId(place: {
  project: string;
  path: string;
  fileHash: string;
  kind: string;
  qualifiedName: string;
  declaration: [number, number];
  lines: [number, number];
}): string {
  const [start, end] = place.declaration;
  const symbol = sha256([place.project, place.path, place.fileHash, start, end, place.kind, place.qualifiedName].join('\0'));
  return sha256([symbol, ...place.lines].join('\0'));
}
