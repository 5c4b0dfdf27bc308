// What the tests of endurance share: a project of many files, programs that use the addon in a process of their own, and a look at the index from outside.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { openProject, type Project, type PromptMessage } from '../../index.js';
import { scratch, sha256 } from '../fixtures.js';

export interface Place {
  root: string;
  data: string;
}

export const ADDON = new URL('../../index.js', import.meta.url).pathname;
export const SOURCE = 'export function refuseLink(path: string): boolean {\n  return path.endsWith(".lnk");\n}\n';

/** A file of one declaration of its own, and filling. */
export const sourceOf = (name: string, filling = 20) => `${SOURCE.replace('refuseLink', name)}${SOURCE.replace('refuseLink', `${name}Other`).repeat(filling)}`;

/** `count` files, each with a declaration `task<number>`. */
export const manyFiles = (count: number, filling = 20) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`src/f${at}.ts`, sourceOf(`task${at}`, filling)]));

export const open = (place: Place): Promise<Project> => openProject({ path: place.root, trusted: true, dataDirectory: place.data });

/** What a call gave, or the code and message of its rejection. */
export const outcome = <T>(call: Promise<T>): Promise<{ value?: T; code?: string; message?: string }> =>
  call.then(
    (value) => ({ value }),
    ({ code, message }: { code?: string; message: string }) => ({ code: code ?? 'none', message }),
  );

/** The arguments of a Node process that opens the place as `project` and runs `body`. */
export const program = (place: Place, body: string): string[] => [
  '-e',
  `const { openProject } = require(process.argv[1]);
  const place = { path: process.argv[2], trusted: true, dataDirectory: process.argv[3] };
  (async () => { const project = await openProject(place); ${body} })();`,
  ADDON,
  place.root,
  place.data,
];

/** Starts such a process. */
export const start = (place: Place, body: string): ChildProcess => spawn(process.execPath, program(place, body), { stdio: ['pipe', 'pipe', 'pipe'] });

/** The exit code or signal, and all output, of a process. */
export function ended(child: ChildProcess): Promise<{ code: number | null; signal: string | null; output: string }> {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
  return new Promise((done) => child.once('close', (code, signal) => done({ code, signal, output })));
}

/** The one database in a data directory. */
export function databaseOf(place: Place): string {
  const folder = join(place.data, 'projects');
  const [name] = readdirSync(folder).filter((file) => file.endsWith('.db'));
  return join(folder, name ?? expect.fail('there is no database'));
}

/** Bytes of the database and of its log. */
export function sizesOf(place: Place): { database: number; log: number } {
  const size = (file: string) => (existsSync(file) ? readFileSync(file).length : 0);
  return { database: size(databaseOf(place)), log: size(`${databaseOf(place)}-wal`) };
}

/** What SQLite's own check says of the database as it is on disk now, and which of the texts its rows hold. Of a copy, as looking recovers. */
export function inspect(place: Place, wanted: string[] = []): { integrity: string; held: string[] } {
  const copy = join(scratch(), 'copy.db');
  for (const suffix of ['', '-wal']) {
    if (existsSync(databaseOf(place) + suffix)) copyFileSync(databaseOf(place) + suffix, copy + suffix);
  }
  const integrity = execFileSync('sqlite3', [copy, 'PRAGMA integrity_check'], { encoding: 'utf8' }).trim();
  // Where SQLite moves cells between pages it leaves their bytes in the unused part of a page; only rows count here.
  execFileSync('sqlite3', [copy, 'VACUUM']);
  const bytes = readFileSync(copy);
  return { integrity, held: wanted.filter((text) => bytes.includes(text)) };
}

/** Fails unless each message quotes exactly the lines of the text that its file had with its hash. */
export function expectProven(messages: PromptMessage[], textOf: (path: string, hash: string) => string | undefined): void {
  for (const { text, snippet } of messages) {
    if (!snippet) continue;
    const { path, hash, startLine, endLine } = snippet;
    const whole = textOf(path, hash) ?? expect.fail(`${path} has never had the hash ${hash}: ${text}`);
    const lines = whole.split('\n').slice(startLine - 1, endLine);
    expect(text).toContain(`\nSHA-256: ${hash}\n`);
    expect(text).toContain(`Quoted source JSON: ${JSON.stringify(lines.join('\n'))}\n`);
  }
}

/** For `expectProven`: the text as it is now. */
export const live =
  (place: Place) =>
  (path: string, hash: string): string | undefined => {
    const text = readFileSync(join(place.root, path), 'utf8');
    return sha256(text) === hash ? text : undefined;
  };

/** The texts of the messages. */
export const texts = (messages: PromptMessage[]): string[] => messages.map(({ text }) => text);

/** Numbers from 0 to 1, the same ones for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
