// Kills, stops, full and read-only disks, wrong clocks, and several processes: what is claimed of the index is so, and nothing that is gone comes back.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { project, repository, scratch, sha256, write } from '../fixtures.js';
import { has } from '../pi/tools.ts';
import { COUNTS } from './counts.js';
import { databaseOf, ended, expectProven, inspect, live, manyFiles, open, outcome, program, randomFrom, sizesOf, sourceOf, start, texts } from './place.js';

const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
const canMount = isRoot && spawnSync('unshare', ['--mount', 'true']).status === 0;
const ask = (name: string) => ({ text: `what does ${name} do?` });

/** All that stands below a folder, by path. */
const listing = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path, sha256(readFileSync(path))]),
  );

test.skipIf(!has('sqlite3', '--version'))(`${COUNTS.kills} kills at random points: sound, as complete as claimed, and no text of what is gone`, async () => {
  const place = repository(manyFiles(150));
  const random = randomFrom(1);
  const body = `console.log('started');
    for (let at = 0; ; at += 1) {
      await project.sync({ force: at % 2 === 1 });
      await project.retrieve({ text: 'what does task' + (at % 150) + ' do?' });
      if (at % 3 === 2) await project.rebuild();
    }`;
  let interrupted = 0;
  for (let round = 0; round < COUNTS.kills; round += 1) {
    const ghost = `wombat${round}q`;
    rmSync(join(place.root, `src/ghost${round - 1}.ts`), { force: true });
    write(place.root, { [`src/ghost${round}.ts`]: sourceOf(ghost), [`src/f${round % 150}.ts`]: sourceOf(`task${round % 150}`, 10 + (round % 20)) });
    const changedAt = Date.now();
    const child = start(place, body);
    await new Promise((started) => child.stdout?.once('data', started));
    await new Promise((later) => setTimeout(later, random() * 300));
    child.kill('SIGKILL');
    await new Promise((gone) => child.once('close', gone));

    const handle = await open(place);
    const { status, reasons, revision } = await handle.status();
    expect(['ready', 'partial'], reasons.join()).toContain(status);
    const gone = await handle.retrieve(ask(`wombat${round - 1}q`));
    expect(gone.messages.map(({ snippet }) => snippet?.path)).not.toContain(`src/ghost${round - 1}.ts`);
    expectProven(gone.messages, live(place));
    const report = await handle.sync();
    expect(report).toMatchObject({ complete: true, listed: 151 });
    if (status === 'ready' && (revision?.indexedAt ?? 0) > changedAt) expect(report).toMatchObject({ indexed: 0, removed: 0 });
    else interrupted += 1;
    expect((await handle.retrieve(ask(ghost))).messages[0]?.snippet?.path).toBe(`src/ghost${round}.ts`);
    expect(await handle.status()).toMatchObject({ status: 'ready', reasons: [] });
    await handle.close();
    expect(inspect(place, [ghost, `wombat${round - 1}q`])).toEqual({ integrity: 'ok', held: [ghost] });
  }
  expect(interrupted).toBeGreaterThan(COUNTS.kills / 5);
  const [old, fresh] = await Promise.all([place, { ...place, data: join(scratch(), 'data') }].map(open));
  await fresh?.sync();
  for (const name of ['task3', 'task77', `wombat${COUNTS.kills - 1}q`]) {
    const [left, right] = await Promise.all([old, fresh].map((handle) => handle?.retrieve(ask(name))));
    expect(texts(left?.messages ?? [])).toEqual(texts(right?.messages ?? []));
  }
  await Promise.all([old?.close(), fresh?.close()]);
});

test.skipIf(!canMount)(`a disk that is full at ${COUNTS.disks} sizes: one plain reason, and all is well once there is room`, () => {
  const random = randomFrom(2);
  for (let round = 0; round < COUNTS.disks; round += 1) {
    const place = project(manyFiles(400));
    mkdirSync(place.data);
    // From a disk on which not even the folders fit to one on which most does.
    const kilobytes = round === 0 ? 4 : Math.round(12 + random() * 2_400);
    const body = `const code = (call) => call.then((value) => value, ({ code, message }) => ({ code, message }));
      const first = await code(project.sync());
      const { messages, manifest } = await project.retrieve({ text: 'what does task7 do?' });
      await code(project.recordUsage(manifest.id, { inputTokens: 1 }));
      const { status, reasons } = await project.status();
      await project.close();
      require('node:child_process').execFileSync('mount', ['-o', 'remount,size=200m', place.dataDirectory]);
      const again = await openProject(place);
      const { complete } = await again.sync();
      const later = await again.retrieve({ text: 'what does task7 do?' });
      const after = await again.status();
      console.log(JSON.stringify({ first: first.code ?? first.complete, message: first.message, status, reasons, mode: manifest.mode, quoted: messages.length,
        complete, after: after.status, found: later.messages[0]?.snippet?.path }));
      await again.close();`;
    const mounted = ['--mount', 'sh', '-c', `mount -t tmpfs -o size=${kilobytes}k tmpfs "$0" && exec "$@"`, place.data];
    const said = execFileSync('unshare', [...mounted, process.execPath, ...program(place, body)], { encoding: 'utf8' });
    const seen = JSON.parse(said) as { first: unknown; status: string; message?: string; reasons: string[]; mode: string; quoted: number };
    expect(seen, `${kilobytes} KB`).toMatchObject({ complete: true, after: 'ready', found: 'src/f7.ts' });
    expect(['E_STORE_UNAVAILABLE', true]).toContain(seen.first);
    expect(['ready', 'partial', 'failed']).toContain(seen.status);
    if (seen.first !== true) expect(seen.message).toMatch(/full|No space left|disk I\/O error/);
    expect(seen.reasons.length, said).toBeLessThan(2);
  }
});

test.skipIf(!canMount)('a read-only data directory: the index is served with its age, live text is quoted, and nothing is written', async () => {
  const place = project(manyFiles(20));
  const writer = await open(place);
  await writer.sync();
  await writer.close();
  const before = listing(place.data);
  appendFileSync(join(place.root, 'src/f7.ts'), '// newer than the index\n');
  const body = `const { messages, manifest } = await project.retrieve({ text: 'what does task7 do?' });
    const { status, reasons, revision } = await project.status();
    const { complete, incompleteReason } = await project.sync();
    console.log(JSON.stringify({ status, reasons, indexedAt: revision.indexedAt === manifest.projectRevision.indexedAt, mode: manifest.mode, messages,
      usage: await project.recordUsage(manifest.id, { inputTokens: 3 }), kept: (await project.manifests(1))[0].actualTokens, complete, incompleteReason }));
    await project.close();`;
  const readOnly = ['--mount', 'sh', '-c', 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"', place.data, process.execPath];
  const seen = JSON.parse(execFileSync('unshare', [...readOnly, ...program(place, body)], { encoding: 'utf8' }));
  const reason = 'the index can only be read, as its folder is read-only: it is 0 minutes old, and newer files are not found';
  expect(seen).toMatchObject({ status: 'ready', reasons: [reason], indexedAt: true, mode: 'managed', usage: true, kept: 3 });
  expect(seen).toMatchObject({ complete: false, incompleteReason: 'the index can only be read' });
  expect(seen.messages[0].snippet.path).toBe('src/f7.ts');
  expectProven(seen.messages, live(place));
  expect(listing(place.data)).toEqual(before);

  const empty = { root: place.root, data: scratch() };
  readOnly[4] = empty.data;
  const none = `const { manifest } = await project.retrieve({ text: 'task7' }); console.log(JSON.stringify([(await project.status()).reasons, manifest.mode]));`;
  const [reasons, mode] = JSON.parse(execFileSync('unshare', [...readOnly, ...program(empty, none)], { encoding: 'utf8' }));
  expect([reasons, mode]).toEqual([[expect.stringMatching(/can't be used: Read-only file system/)], 'fallback']);
});

test.skipIf(!canMount || !existsSync('/dev/fuse') || !has('bindfs', '--version'))(
  'a data directory on a network file system: two machines keep an index each, and the status says so',
  async () => {
    const place = project(manyFiles(20));
    const [served, mounted] = [scratch(), scratch()];
    const body = `const { complete } = await project.sync();
    const { messages, manifest } = await project.retrieve({ text: 'what does task7 do?' });
    console.log(JSON.stringify({ complete, path: messages[0].snippet.path, mode: manifest.mode, reasons: (await project.status()).reasons }));
    await project.close();`;
    const shell = 'served=$1; mounted=$2; shift 2; hostname "$0" && bindfs "$served" "$mounted" && "$@"; code=$?; umount "$mounted"; exit $code';
    const on = (machine: string) => {
      const command = [process.execPath, ...program({ root: place.root, data: mounted }, body)];
      const said = execFileSync('unshare', ['--mount', '--uts', 'sh', '-c', shell, machine, served, mounted, ...command], { encoding: 'utf8' });
      return JSON.parse(said);
    };
    const reasons = ['the data directory is on a network file system (fuse): this machine keeps an index of its own there'];
    for (const machine of ['alpha', 'beta.example', 'alpha']) {
      expect(on(machine), machine).toEqual({ complete: true, path: 'src/f7.ts', mode: 'managed', reasons });
    }
    expect(readdirSync(served)).toEqual(['machines']);
    expect(readdirSync(join(served, 'machines')).sort()).toEqual(['alpha', 'beta_example']);
  },
);

test.skipIf(!has('cc', '--version') || process.platform !== 'linux')(
  'clocks ten years off, forwards and backwards: every edit is seen, and nothing fails',
  async () => {
    const folder = scratch();
    const shim = join(folder, 'clock.so');
    const code = `#define _GNU_SOURCE
    #include <stdlib.h>
    #include <time.h>
    #include <unistd.h>
    #include <sys/syscall.h>
    int clock_gettime(clockid_t id, struct timespec *t) {
      int failed = syscall(SYS_clock_gettime, id, t); const char *by = getenv("CLOCK_SHIFT");
      if (!failed && id == CLOCK_REALTIME && by) t->tv_sec += atol(by);
      return failed; }`;
    writeFileSync(join(folder, 'clock.c'), code);
    execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', shim, join(folder, 'clock.c')]);
    const place = project(manyFiles(20));
    const years = (count: number) => String(count * 365 * 86_400);
    const body = `const { complete } = await project.sync(); const { messages } = await project.retrieve({ text: 'what does task7 do?' });
    const { status, reasons, revision } = await project.status();
    console.log(JSON.stringify({ complete, messages, status, reasons, year: new Date(revision.indexedAt).getFullYear(), manifests: (await project.manifests(9)).length }));
    await project.close();`;
    const year = new Date().getFullYear();
    // Of the same size each time; the file's times are in the past, in the future, and those that it had before.
    for (const [round, shift] of [0, 10, 0, -10, 0, 10].entries()) {
      const file = join(place.root, 'src/f7.ts');
      writeFileSync(file, sourceOf('task7').replaceAll('.lnk', `.ln${round}`));
      const modified = new Date([Date.now(), Date.now() + 4e11, 86_400_000, Date.now() + 4e11][round % 4] as number);
      utimesSync(file, modified, modified);
      const env = { ...process.env, LD_PRELOAD: shim, CLOCK_SHIFT: years(shift) };
      const seen = JSON.parse(execFileSync(process.execPath, program(place, body), { env, encoding: 'utf8' }));
      expect(seen).toMatchObject({ complete: true, status: 'ready', reasons: [], manifests: round + 1 });
      // A sync that finds nothing to do would leave the time; each of these wrote.
      expect(Math.abs(seen.year - year - shift)).toBeLessThan(2);
      expect(seen.messages[0].text).toContain(`.ln${round}`);
      expectProven(seen.messages, live(place));
    }
  },
);

test(`two to ${COUNTS.processes} processes cold at once: each answers or says that it is partial, none meets a locked database`, async () => {
  const body = `const { complete, incompleteReason } = await project.sync();
    const { manifest } = await project.retrieve({ text: 'what does task7 do?' });
    const used = await project.recordUsage(manifest.id, { inputTokens: 1 });
    console.log(JSON.stringify({ complete, incompleteReason, mode: manifest.mode, used })); await project.close();`;
  for (let count = 2; count <= COUNTS.processes; count += 1) {
    const place = repository(manyFiles(150));
    const all = await Promise.all(Array.from({ length: count }, () => ended(start(place, body))));
    for (const { code, output } of all) {
      expect(`${code} ${output}`).toMatch(
        /^0 \{("complete":true|"complete":false,"incompleteReason":"another process is indexing"),"mode":"managed","used":true\}\n$/,
      );
    }
    const handle = await open(place);
    expect(await handle.sync()).toMatchObject({ complete: true, unchanged: 150 });
    await handle.close();
  }
});

test.skipIf(process.platform === 'win32')('who holds the lock and is stopped, or killed: others answer at once and say why, and then go on', async () => {
  const place = project(manyFiles(1_000));
  const child = start(place, 'project.sync({ onProgress: ({ done }) => console.log(done) });');
  await new Promise<void>((far) => child.stdout?.on('data', (text) => Number(String(text).trim().split('\n').pop()) >= 200 && far()));
  child.kill('SIGSTOP');
  const handle = await open(place);
  const report = await handle.sync();
  // It may have been done just before it was stopped.
  if (!report.complete) expect(report.incompleteReason).toBe('another process is indexing');
  const { messages, manifest } = await handle.retrieve(ask('task7'));
  expect(manifest.mode).toBe('managed');
  expectProven(messages, live(place));
  const { message } = await outcome(handle.recordUsage(manifest.id, { inputTokens: 1 }));
  expect(message ?? '').not.toMatch(/locked/);
  child.kill('SIGKILL');
  await new Promise((gone) => child.once('close', gone));
  expect(await handle.sync()).toMatchObject({ complete: true, listed: 1_000 });
  await handle.close();
});

test.skipIf(!has('sqlite3', '--version'))(
  `a reader held open through ${COUNTS.rebuilds} rebuilds: the log stays bounded, the reason is said, and it is emptied afterwards`,
  async () => {
    const place = project(manyFiles(200));
    const handle = await open(place);
    await handle.sync();
    const reader = spawn('sqlite3', [databaseOf(place)], { stdio: ['pipe', 'pipe', 'inherit'] });
    const closed = new Promise((gone) => reader.once('close', gone));
    reader.stdin.write('BEGIN; SELECT count(*) FROM sqlite_schema;\n');
    await new Promise((reading) => reader.stdout.once('data', reading));
    const reports = [];
    for (let round = 0; round < COUNTS.rebuilds; round += 1) reports.push(await handle.rebuild());
    const { database, log } = sizesOf(place);
    // Four databases and the bound of an idle log, and what the last rebuild wrote beyond it.
    expect(log).toBeLessThan(4 * database + 4_000_000 + 5 * database);
    const reason = 'another process has long been reading an old state of the index; it is written again when that process ends';
    expect(reports.at(-1)).toMatchObject({ complete: false, incompleteReason: reason });
    expect((await handle.retrieve(ask('task7'))).messages[0]?.snippet?.path).toBe('src/f7.ts');
    reader.stdin.end();
    await closed;
    expect(await handle.rebuild()).toMatchObject({ complete: true, indexed: 200 });
    expect(sizesOf(place).log).toBe(0);
    await handle.close();
  },
);
