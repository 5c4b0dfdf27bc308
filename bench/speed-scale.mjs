// Growth: `npm run bench:scale -- [files ...] [--svg docs/speed-growth.svg]`.
//
// Generated trees of 1,000 to 100,000 files, bounds raised. Each tree is measured in processes of its own: the addon's load and its first count of tokens, a
// cold sync with its memory, another with the stalls of the JavaScript thread (beside those under threads that only burn processor time), 200 different
// requests, syncs that find nothing or one change, a second opening up to its first answer, first prompts on no index, and the time from a cancellation to
// the end of its call. Trees are Git repositories up to 30,000 files; there a branch is switched, too.

import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, openSync, readFileSync, readSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { plot } from './plot.mjs';
import { className, filePath, makeTree, requestsFor } from './tree.mjs';

const threads = Number(process.env.THREADS ?? 2);
const bounds = { maxFiles: 1_000_000, maxTotalBytes: 10_000_000_000, maxDirectories: 1_000_000, threads };
const MAX_GIT_FILES = 30_000;
const SWITCHED = 500;
/** Milliseconds that a prompt may wait, as the extension's settings have it; of these the share for looking at what it names. */
const PROMPT_MS = 150;
const SYNC_SHARE = 0.6;
const FIRST_PROMPTS = 50;
/** Each so many prompts, one that asks for a name is asked again until the file that declares it is quoted. */
const WAITED_EACH = 10;
const POLL_MS = 25;

const percentile = (values, share) => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.ceil(share * values.length) - 1)];
const round = (number, digits = 1) => Number(number.toFixed(digits));
const megabytes = (bytes) => round(bytes / 2 ** 20);

async function timed(work) {
  const cpu = process.cpuUsage();
  const start = performance.now();
  const value = await work();
  const { user, system } = process.cpuUsage(cpu);
  return { value, wall: performance.now() - start, cpu: (user + system) / 1000 };
}

/** Bytes of memory that this process has, and those of them that no file backs: the operating system can't drop and read them again. */
function memory() {
  const rss = process.memoryUsage.rss();
  if (process.platform !== 'linux') return { rss };
  const [, kilobytes] = /^Anonymous: +(\d+) kB$/m.exec(readFileSync('/proc/self/smaps_rollup', 'utf8'));
  return { rss, anonymous: Number(kilobytes) * 1024 };
}

const grown = (now, before) => Object.fromEntries(Object.keys(before).map((kind) => [`${kind}Mb`, megabytes(now[kind] - before[kind])]));

/** Tells milliseconds that this thread was ready to run while others had the cores; 0 where the platform doesn't say. */
function coreWait() {
  if (process.platform !== 'linux') return () => 0;
  const file = openSync(`/proc/self/task/${process.pid}/schedstat`);
  const bytes = Buffer.alloc(64);
  return () => Number(bytes.toString('latin1', 0, readSync(file, bytes, 0, bytes.length, 0)).split(' ')[1]) / 1e6;
}

/** The longest stall of the JavaScript thread during `work`, and the longest without what it waited for a core (so far as the platform tells), in milliseconds. */
async function stallOf(work) {
  const step = 1;
  const most = { stallMs: 0, ownStallMs: 0 };
  const waitedForCore = coreWait();
  let done = false;
  const watch = (async () => {
    for (let [last, waited] = [performance.now(), waitedForCore()]; !done; ) {
      await sleep(step);
      const [now, nowWaited] = [performance.now(), waitedForCore()];
      const stall = now - last - step;
      most.stallMs = Math.max(most.stallMs, stall);
      most.ownStallMs = Math.max(most.ownStallMs, stall - (nowWaited - waited));
      [last, waited] = [now, nowWaited];
    }
  })();
  const value = await work();
  done = true;
  await watch;
  return { value, stallMs: round(most.stallMs), ownStallMs: round(most.ownStallMs) };
}

/** The longest stall beside `threads` threads that burn processor time for so long and share nothing with this one. */
async function stallOfControl(ms) {
  const burn = `const { parentPort } = require('node:worker_threads');
    parentPort.on('message', (ms) => { const end = Date.now() + ms; while (Date.now() < end); parentPort.postMessage('done'); });
    parentPort.postMessage('ready');`;
  const workers = Array.from({ length: threads }, () => new Worker(burn, { eval: true }));
  const said = () => Promise.all(workers.map((worker) => new Promise((resolve) => worker.once('message', resolve))));
  await said();
  const { stallMs } = await stallOf(() => {
    const done = said();
    for (const worker of workers) worker.postMessage(ms);
    return done;
  });
  await Promise.all(workers.map((worker) => worker.terminate()));
  return stallMs;
}

const load = () => createRequire(import.meta.url)('../index.js');
const open = (project, dataDirectory) => load().openProject({ path: project, trusted: true, dataDirectory, bounds });

/** What one process does with a tree. */
const PHASES = {
  async tokens(project, _data, count) {
    const text = Array.from({ length: Math.min(count, 200) }, (_, index) => readFileSync(join(project, filePath(index)), 'utf8')).join('');
    const before = memory();
    const addon = load();
    const first = await timed(() => addon.countTokens('a'));
    const after = grown(memory(), before);
    const runs = [];
    let tokens;
    for (let run = 0; run < 10; run++) {
      const { value, cpu } = await timed(() => addon.countTokens(text));
      tokens = value;
      runs.push(cpu);
    }
    return { firstMs: round(first.wall, 2), ...after, tokens, cpuNsPerToken: round((Math.min(...runs) / tokens) * 1e6) };
  },

  async cold(project, data, count) {
    const base = memory();
    let handle = await open(project, data);
    const sync = await timed(() => handle.sync());
    const peak = process.resourceUsage().maxRSS * 1024;
    await sleep(1_000);
    const idle = grown(memory(), base);
    const { store } = await handle.status();
    await handle.close();
    const indexBytes = statSync(store.path).size;
    handle = await open(project, data);
    const requests = requestsFor(count, 200);
    await handle.retrieve({ text: requests[0] });
    const walls = [];
    const warm = await timed(async () => {
      for (const text of requests) walls.push((await timed(() => handle.retrieve({ text }))).wall);
    });
    const unchanged = [];
    const one = [];
    for (let run = 0; run < 3; run++) unchanged.push(await timed(() => handle.sync()));
    const file = join(project, filePath(1));
    const before = readFileSync(file);
    for (let run = 0; run < 3; run++) {
      appendFileSync(file, `// change ${run}\n`);
      one.push(await timed(() => handle.sync()));
    }
    writeFileSync(file, before);
    await handle.sync();
    const { counts } = await handle.status();
    await handle.close();
    return {
      syncMs: round(sync.wall),
      syncCpuMs: round(sync.cpu),
      stages: sync.value.timings,
      peakMb: megabytes(peak - base.rss),
      idleMb: idle.rssMb,
      idleAnonymousMb: idle.anonymousMb,
      p50: round(percentile(walls, 0.5), 2),
      p95: round(percentile(walls, 0.95), 2),
      p99: round(percentile(walls, 0.99), 2),
      cpuPerAnswer: round(warm.cpu / requests.length, 2),
      unchangedMs: round(
        percentile(
          unchanged.map(({ wall }) => wall),
          0.5,
        ),
      ),
      oneMs: round(
        percentile(
          one.map(({ wall }) => wall),
          0.5,
        ),
      ),
      oneIndexed: one.map(({ value }) => value.indexed),
      chunks: counts.chunks,
      textMb: round(counts.textBytes / 1e6),
      index: round(indexBytes / counts.textBytes, 2),
    };
  },

  async stall(project, data) {
    const handle = await open(project, data);
    const { value, ...stalls } = await stallOf(() => timed(() => handle.sync()));
    await handle.close();
    return { ...stalls, controlStallMs: await stallOfControl(value.wall) };
  },

  async reopen(project, data, count) {
    load();
    const [text] = requestsFor(count, 1);
    let handle;
    const first = await timed(async () => {
      handle = await open(project, data);
      return handle.retrieve({ text });
    });
    const second = await timed(() => handle.retrieve({ text: requestsFor(count, 2)[1] }));
    await handle.close();
    return { openMs: round(first.wall), messages: first.value.messages.length, secondMs: round(second.wall, 2) };
  },

  async first(project, data, count) {
    const results = { foundNamed: 0, foundAsked: 0, partial: 0, evidence: 0, walls: [], cancels: [], waits: [] };
    const stride = Math.floor(count / FIRST_PROMPTS);
    for (let at = 0; at < FIRST_PROMPTS; at++) {
      const index = at * stride;
      const named = at % 2 === 0;
      const text = named ? `what does ${filePath(index)} do` : `where is ${className(index)} defined?`;
      const own = `${data}-${at}`;
      const handle = await open(project, own);
      const stop = new AbortController();
      const begun = performance.now();
      const whole = handle.sync({ signal: stop.signal }).catch(() => {});
      const answer = await timed(async () => {
        const start = performance.now();
        await handle.sync({ deadlineMs: Math.floor(PROMPT_MS * SYNC_SHARE), first: named ? [filePath(index)] : [] }).catch(() => {});
        return handle.retrieve({ text, deadlineMs: Math.max(1, PROMPT_MS - 10 - (performance.now() - start)) });
      });
      const { messages, manifest } = answer.value;
      results.walls.push(answer.wall);
      results.evidence += messages.length > 0 ? 1 : 0;
      results.partial += manifest.completeness.complete ? 0 : 1;
      const has = (given) => given.included.some(({ path }) => path === filePath(index));
      results[named ? 'foundNamed' : 'foundAsked'] += has(manifest) ? 1 : 0;
      if (at % WAITED_EACH === WAITED_EACH / 2) {
        while (!has((await handle.retrieve({ text })).manifest)) await sleep(POLL_MS);
        results.waits.push(performance.now() - begun);
      }
      const cancelled = performance.now();
      stop.abort();
      await whole;
      results.cancels.push(performance.now() - cancelled);
      await handle.close();
      rmSync(own, { recursive: true, force: true });
    }
    const { walls, cancels, waits, ...counts } = results;
    const shown = (values) => ({ p50: round(percentile(values, 0.5)), most: round(Math.max(...values)) });
    return { ...counts, of: FIRST_PROMPTS, answerMs: shown(walls), cancelMs: shown(cancels), evidenceMs: shown(waits) };
  },

  async branch(project, data) {
    const git = (...args) => execFileSync('git', ['-c', 'user.name=B', '-c', 'user.email=b@example.invalid', ...args], { cwd: project, encoding: 'utf8' });
    const handle = await open(project, data);
    await handle.sync();
    const home = git('branch', '--show-current').trim();
    git('checkout', '-qb', 'other');
    for (let at = 0; at < SWITCHED; at++) appendFileSync(join(project, filePath(at * 3)), `export const other${at} = ${at}\n`);
    git('commit', '-qam', 'other');
    const shown = async () => {
      const { value, wall } = await timed(() => handle.sync());
      return { ms: round(wall), indexed: value.indexed, reused: value.reused, bytesRead: value.bytesRead, parseMs: round(value.timings.parse) };
    };
    const there = await shown();
    git('checkout', '-q', home);
    const back = await shown();
    git('checkout', '-q', 'other');
    const again = await shown();
    git('checkout', '-q', home);
    git('branch', '-qD', 'other');
    await handle.close();
    return { there, back, again };
  },
};

function inProcess(phase, project, data, count) {
  const args = [fileURLToPath(import.meta.url), '--phase', phase, project, data, String(count)];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 2 ** 26 }));
}

function limitsOf(project, count) {
  const runs = count > 10_000 ? 1 : 5;
  const args = ['run', '--release', '--locked', '--quiet', '--example', 'speed_limits', '--', project, String(threads), String(runs)];
  return JSON.parse(execFileSync('cargo', args, { encoding: 'utf8' }));
}

function measure(count) {
  const scratch = mkdtempSync(join(tmpdir(), 'bench-scale-'));
  try {
    const project = join(scratch, 'tree');
    makeTree(project, count);
    if (count <= MAX_GIT_FILES) {
      for (const args of [
        ['init', '-q'],
        // It would still be tidying up when the tree is removed.
        ['config', 'maintenance.auto', 'false'],
        ['config', 'gc.auto', '0'],
        ['add', '-A'],
        ['-c', 'user.name=B', '-c', 'user.email=b@example.invalid', 'commit', '-qm', 'tree'],
      ]) {
        execFileSync('git', args, { cwd: project });
      }
    }
    const data = join(scratch, 'data');
    const tokens = inProcess('tokens', project, data, count);
    const cold = inProcess('cold', project, data, count);
    const stall = inProcess('stall', project, join(scratch, 'stall'), count);
    const limits = limitsOf(project, count);
    const reopen = inProcess('reopen', project, data, count);
    const first = count >= 10_000 ? inProcess('first', project, join(scratch, 'first'), count) : undefined;
    const branch = existsSync(join(project, '.git')) && count >= 3 * SWITCHED ? inProcess('branch', project, data, count) : undefined;
    return { count, limits, tokens, cold, stall, reopen, first, branch };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

const args = process.argv.slice(2);
if (args[0] === '--phase') {
  const [, phase, project, data, count] = args;
  console.log(JSON.stringify(await PHASES[phase](project, data, Number(count))));
} else {
  const svg = args.includes('--svg') ? args.splice(args.indexOf('--svg'), 2)[1] : undefined;
  const counts = (args.length > 0 ? args : ['1000', '3000', '10000', '30000', '100000']).map(Number);
  const all = [];
  for (const count of counts) {
    const result = measure(count);
    all.push(result);
    console.log(JSON.stringify(result));
    // A long run that is stopped leaves what it has.
    if (svg && all.length > 1) {
      writeFileSync(
        svg,
        plot('Growth of sync and answers with the number of files', 'files', counts.slice(0, all.length), [
          { name: 'cold sync, CPU s', values: all.map(({ cold }) => cold.syncCpuMs / 1000) },
          { name: 'read + hash + bare parse, CPU s', values: all.map(({ limits }) => (limits.hashCpu + limits.parseCpu) / 1000) },
          { name: 'warm answer, p50 ms', values: all.map(({ cold }) => cold.p50) },
          { name: 'warm answer, p95 ms', values: all.map(({ cold }) => cold.p95) },
        ]),
      );
    }
  }
  const ratio = ({ cold, limits }) => round(cold.syncCpuMs / (limits.hashCpu + limits.parseCpu), 2);
  console.log(
    '\n| files | MB | chunks | cold sync s (CPU s) | x read + hash + bare parse (CPU) | no change ms (x stat walk) | one change ms | p50 / p95 / p99 ms | open to answer ms | index | peak / idle (anonymous) MiB | stall (without waits for a core; of a control) ms |',
  );
  console.log(`|${' ---: |'.repeat(12)}`);
  for (const result of all) {
    const { count, cold, stall, limits, reopen } = result;
    const cells = [
      count.toLocaleString('en'),
      cold.textMb,
      cold.chunks.toLocaleString('en'),
      `${round(cold.syncMs / 1000)} (${round(cold.syncCpuMs / 1000)})`,
      ratio(result),
      `${cold.unchangedMs} (${round(cold.unchangedMs / limits.stat)})`,
      cold.oneMs,
      `${cold.p50} / ${cold.p95} / ${cold.p99}`,
      reopen.openMs,
      `${cold.index} x`,
      `${cold.peakMb} / ${cold.idleMb} (${cold.idleAnonymousMb})`,
      `${stall.stallMs} (${stall.ownStallMs}; ${stall.controlStallMs})`,
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
  console.log(
    '\n| files | prompt answered ms, middle (most) | named file there | asked-for name there | name found after s, middle (most) | complete after s | cancelled within ms |',
  );
  console.log(`|${' ---: |'.repeat(7)}`);
  for (const { count, cold, first } of all.filter((result) => result.first)) {
    const { answerMs, evidenceMs, cancelMs, of } = first;
    const seconds = (ms) => round(ms / 1000, 2);
    const cells = [
      count.toLocaleString('en'),
      `${answerMs.p50} (${answerMs.most})`,
      `${first.foundNamed} of ${of / 2}`,
      `${first.foundAsked} of ${of / 2}`,
      `${seconds(evidenceMs.p50)} (${seconds(evidenceMs.most)})`,
      seconds(cold.syncMs),
      cancelMs.most,
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
}
