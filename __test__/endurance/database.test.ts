// Every state in which the database's file, its folder or the account can be: the engine works, or gives one plain reason, and leaves alone what is not ours.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openProject } from '../../index.js';
import { project, sha256 } from '../fixtures.js';
import { COUNTS } from './counts.js';
import { ADDON, databaseOf, expectProven, live, manyFiles, open, type Place, program, randomFrom } from './place.js';

const REQUEST = { text: 'what does task7 do?' };

async function indexed(filling = 3): Promise<Place & { file: string }> {
  const place = project(manyFiles(40, filling));
  const handle = await open(place);
  await handle.sync();
  await handle.close();
  return { ...place, file: databaseOf(place) };
}

/** Writes over the file where it stands: it stays the file that this package made. */
function overwrite(file: string, bytes: Uint8Array): void {
  truncateSync(file);
  const opened = openSync(file, 'r+');
  writeSync(opened, bytes);
  closeSync(opened);
}

/** A file of the same name that somebody else put there. */
function replace(file: string, bytes: Uint8Array | string): void {
  renameSync(file, `${dirname(file)}-moved`);
  writeFileSync(file, bytes);
}

/** What stands at a path: its kind, and its bytes or target. */
function state(path: string): string {
  // Below a file there is nothing either, and that is told by an exception.
  const found = existsSync(dirname(path)) && lstatSync(dirname(path)).isDirectory() && lstatSync(path, { throwIfNoEntry: false });
  if (!found) return 'nothing';
  if (found.isSymbolicLink()) return `link to ${readlinkSync(path)}`;
  if (found.isDirectory()) return `folder of ${readdirSync(path).join()}`;
  return found.isFile() ? `file ${sha256(readFileSync(path))}` : `special ${found.mode}`;
}

const header = (change: (bytes: Buffer) => void) => (file: string) => {
  const bytes = readFileSync(file);
  change(bytes);
  return bytes;
};
const newer = header((bytes) => bytes.writeUInt32BE(4_000, 60));

/** States in which the file is not ours to change, each with the reason that is given. */
const LEFT_ALONE: [string, (file: string, place: Place) => void, RegExp][] = [
  ['of a newer schema', (file) => overwrite(file, newer(file)), /is of schema 4000 and this package knows up to \d+: update it/],
  ['a letter', (file) => replace(file, 'Dear aunt,\n'.repeat(30)), /is no index of this package and was left as it is; move it away/],
  ['a database of another program', (file) => replace(file, header((bytes) => bytes.writeUInt32BE(7, 68))(file)), /is no index of this package/],
  [
    'a folder',
    (file) => {
      rmSync(file);
      mkdirSync(file);
    },
    /is no regular file; move it away/,
  ],
  [
    'a link to a file',
    (file) => {
      renameSync(file, `${file}.real`);
      symlinkSync(`${file}.real`, file);
    },
    /is no regular file; move it away/,
  ],
  [
    'a link to nothing',
    (file) => {
      rmSync(file);
      symlinkSync('/no/such', file);
    },
    /is no regular file/,
  ],
  [
    'a pipe',
    (file) => {
      rmSync(file);
      execFileSync('mkfifo', [file]);
    },
    /is no regular file/,
  ],
  [
    'with a lock that is a folder',
    (file) => {
      overwrite(file, new Uint8Array(4_096));
      rmSync(`${file}.lock`);
      mkdirSync(`${file}.lock`);
    },
    /no (regular file|index)/,
  ],
  [
    'below a file in the place of its folder',
    (file) => {
      rmSync(dirname(file), { recursive: true });
      writeFileSync(dirname(file), 'mine');
    },
    /can't be used/,
  ],
  ['an index of another project, copied here', (file, place) => copyOfAnother(file, place), /belongs to another project; move it away/],
];

function copyOfAnother(file: string, place: Place): void {
  const other = `${place.root}-other`;
  mkdirSync(other);
  const body = 'await project.sync(); await project.close();';
  const data = `${place.data}-other`;
  execFileSync(process.execPath, program({ root: other, data }, body));
  replace(file, readFileSync(databaseOf({ root: other, data })));
}

describe('what is not certainly ours', () => {
  test.skipIf(process.platform === 'win32').each(LEFT_ALONE)('%s is left as it is, with one reason', async (_, spoil, reason) => {
    const place = await indexed();
    spoil(place.file, place);
    const paths = [place.file, `${place.file}.real`, `${place.file}.lock`, dirname(place.file)];
    const before = paths.map(state);
    const handle = await open(place);
    const status = await handle.status();
    expect(status).toMatchObject({ status: 'failed', reasons: [expect.stringMatching(reason)] });
    expect(status.reasons.join()).not.toMatch(/locked|panic|os error 2\)/);
    const { messages, manifest } = await handle.retrieve(REQUEST);
    expect([messages, manifest.mode, manifest.modeReason]).toEqual([[], 'fallback', expect.stringMatching(reason)]);
    await handle.close();
    expect(paths.map(state)).toEqual(before);
  });
});

/** States that an index of ours can get into, from which it comes back by itself. */
const HEALED: [string, (file: string) => void][] = [
  ['empty', (file) => overwrite(file, new Uint8Array())],
  ['gone', (file) => rmSync(file)],
  [
    'gone with its lock',
    (file) => {
      rmSync(file);
      rmSync(`${file}.lock`);
    },
  ],
  ['cut in the header', (file) => truncateSync(file, 60)],
  ['cut in a page', (file) => truncateSync(file, 10_000)],
  ['cut after a page', (file) => truncateSync(file, 8_192)],
  ['zeros', (file) => overwrite(file, new Uint8Array(20_000))],
  ['a letter written over it', (file) => overwrite(file, Buffer.from('Dear aunt,\n'.repeat(30)))],
  ['with a log of noise', (file) => writeFileSync(`${file}-wal`, Buffer.alloc(5_000, 0xaa))],
  ['with shared memory of noise', (file) => writeFileSync(`${file}-shm`, Buffer.alloc(32_768, 0xaa))],
  ['with the note of its identity lost', (file) => writeFileSync(`${file}.lock`, '')],
];

describe('what is ours', () => {
  test.each(HEALED)('%s: it answers in full after at most two openings', async (_, spoil) => {
    const place = await indexed();
    spoil(place.file);
    const { openings, found } = await openingsUntilWhole(place);
    expect({ few: openings <= 2, found }).toEqual({ few: true, found: true });
  });

  test(`flipped bits, ${COUNTS.flips} times: no wrong text ever, and it answers after at most two openings`, { timeout: 1_800_000 }, async () => {
    const place = await indexed();
    const random = randomFrom(3);
    const sound = readFileSync(place.file);
    let hidden = 0;
    for (let round = 0; round < COUNTS.flips; round += 1) {
      const bytes = Buffer.from(sound);
      // The header tells what the file is; its flips have tests of their own.
      const at = Array.from({ length: 1 + Math.floor(random() * 8) }, () => 100 + Math.floor(random() * (bytes.length - 100)));
      for (const offset of at) bytes[offset] = (bytes[offset] as number) ^ (1 << Math.floor(random() * 8));
      if (!existsSync(place.file)) writeFileSync(place.file, '');
      overwrite(place.file, bytes);
      const { openings, found, why } = await openingsUntilWhole(place);
      expect(openings, `flips at ${at}: ${why}`).toBeLessThanOrEqual(2);
      hidden += found ? 0 : 1;
      for (const name of readdirSync(dirname(place.file))) if (name.includes('damaged')) rmSync(join(dirname(place.file), name));
    }
    // A letter of a stored name can change so that nobody notices, and then that name is not found; what is quoted is true all the same.
    // That is one round in a hundred, and no short series shows so small a share.
    expect(hidden).toBeLessThanOrEqual(Math.max(5, COUNTS.flips / 50));
  });
});

/** How often the place has to be opened and synced until it answers, and whether it finds what a sound one does. What is quoted on the way is checked. */
async function openingsUntilWhole(place: Place): Promise<{ openings: number; found: boolean; why?: string }> {
  let why: string | undefined;
  for (let opening = 1; opening < 5; opening += 1) {
    const handle = await open(place);
    const early = await handle.retrieve(REQUEST);
    const complete = await handle.sync().then(
      (report) => report.complete,
      ({ code, message }) => {
        expect(code).toBe('E_STORE_UNAVAILABLE');
        why = message;
      },
    );
    const { messages, manifest } = await handle.retrieve(REQUEST);
    for (const found of [early.messages, messages]) expectProven(found, live(place));
    const { status, reasons } = await handle.status();
    why = [why, manifest.modeReason, status, ...reasons].join('; ');
    await handle.close();
    if (complete && status === 'ready' && manifest.mode === 'managed') return { openings: opening, found: messages[0]?.snippet?.path === 'src/f7.ts' };
  }
  return { openings: 5, found: false, why };
}

describe('where the data directory is', () => {
  test.skipIf(process.platform === 'win32')('odd characters, a link, a relative path: it works', async () => {
    const place = project(manyFiles(5));
    const names = ['a b?mode=ro#c%20%00d&\'"\\', 'new\nline\u001b[31m', 'é\u0301\u202e继续', '-rf', 'x'.repeat(200), ':memory:', 'file:x'];
    symlinkSync(join(place.data, '..'), `${place.root}-link`);
    for (const data of [...names.map((name) => join(place.data, name)), join(`${place.root}-link`, 'linked')]) {
      for (const complete of [true, true]) {
        const handle = await open({ root: place.root, data });
        expect(await handle.sync(), JSON.stringify(data)).toMatchObject({ complete });
        expect((await handle.status()).store?.path.startsWith(data)).toBe(true);
        await handle.close();
      }
      expect(readdirSync(join(data, 'projects')).sort()).toEqual([expect.stringMatching(/^[0-9a-f]{32}\.db$/), expect.stringMatching(/\.db\.lock$/)]);
    }
  });

  test('a name that is too long, or below a file: one reason', async () => {
    const place = project(manyFiles(5));
    writeFileSync(`${place.data}-file`, 'mine');
    for (const data of [join(place.data, 'x'.repeat(300)), join(`${place.data}-file`, 'below'), `${place.data}-file`]) {
      const handle = await open({ root: place.root, data });
      expect(await handle.status()).toMatchObject({ status: 'failed', reasons: [expect.stringMatching(/can't be used: \S/)] });
      await handle.close();
    }
    expect(readFileSync(`${place.data}-file`, 'utf8')).toBe('mine');
  });

  const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
  const stranger = ['--reuid=54321', '--regid=54321', '--clear-groups'];
  // The checkout itself has to be open to a stranger.
  const canLeave = isRoot && spawnSync('setpriv', [...stranger, process.execPath, '-e', 'require(process.argv[1])', ADDON]).status === 0;
  test.skipIf(!canLeave)('an index of another user: unreadable it is one reason, readable it is served; without a home there is one reason, too', async () => {
    const place = await indexed();
    const base = dirname(place.root);
    chmodSync(base, 0o755);
    const body = `const { status, reasons } = await project.status(); const { messages, manifest } = await project.retrieve({ text: 'what does task7 do?' });
      console.log(JSON.stringify({ status, reasons, mode: manifest.mode, quoted: messages.length }));`;
    const asStranger = (args: string[]) =>
      JSON.parse(execFileSync('setpriv', [...stranger, process.execPath, ...args], { env: { PATH: process.env.PATH }, encoding: 'utf8' }));
    const before = [state(place.file), state(dirname(place.file))];
    expect(asStranger(program(place, body))).toEqual({
      status: 'failed',
      reasons: [expect.stringMatching(/can't be used: Permission denied/)],
      mode: 'fallback',
      quoted: 0,
    });
    for (const folder of [place.data, dirname(place.file)]) chmodSync(folder, 0o755);
    expect(asStranger(program(place, body))).toEqual({
      status: 'failed',
      reasons: [expect.stringMatching(/can't be used: Permission denied/)],
      mode: 'fallback',
      quoted: 0,
    });
    chmodSync(place.file, 0o644);
    expect(asStranger(program(place, body))).toMatchObject({
      status: 'ready',
      reasons: [expect.stringMatching(/can only be read/)],
      mode: 'managed',
      quoted: 1,
    });
    expect([state(place.file), state(dirname(place.file))]).toEqual(before);
    const homeless = `require(process.argv[1]).openProject({ path: process.argv[2], trusted: true }).catch(({ code, message }) => console.log(JSON.stringify([code, message])))`;
    expect(asStranger(['-e', homeless, ADDON, place.root])).toEqual(['E_INVALID_ARGUMENT', expect.stringMatching(/no home directory: name a data directory/)]);
  });

  test('untrusted, it is not even looked at', async () => {
    const place = project(manyFiles(1));
    const handle = await openProject({ path: place.root, trusted: false, dataDirectory: place.data });
    expect((await handle.status()).status).toBe('untrusted');
    expect(existsSync(place.data)).toBe(false);
    await handle.close();
  });
});
