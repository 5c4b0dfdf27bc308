// Speed beside the machine's own limits: `npm run bench:speed -- [files | real | project folder | npm package@version ...]`.
//
// A number is a generated tree of so many files, `real` one of the packages of `npm run bench:symbols` in five languages (39 MB); without arguments,
// trees of 1,000 and 10,000 files and `real`. Prints tables for each: times are milliseconds, medians of five runs.

import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import addon from '../index.js';
import { fetched } from './packages.mjs';
import { filePath, makeTree, requestsFor } from './tree.mjs';

const RUNS = 5;
const QUERIES = 200;
const threads = Number(process.env.THREADS ?? 2);
const bounds = { maxFiles: 1_000_000, maxTotalBytes: 10_000_000_000, maxDirectories: 1_000_000, threads };
const scratch = mkdtempSync(join(tmpdir(), 'bench-speed-'));

const REAL = ['python', 'rust', 'typescript', 'javascript', 'c'];

/** A project's folder: the one named, that of many packages, or that of a package, fetched. */
function folderOf(name) {
  if (existsSync(name)) return resolve(name);
  const folder = join(scratch, name.replaceAll('/', '+'));
  if (name === 'real') {
    for (const language of REAL) for (const source of fetched(language)) cpSync(source, join(folder, language, basename(source)), { recursive: true });
    return folder;
  }
  mkdirSync(folder);
  const archive = execFileSync('npm', ['pack', '--silent', name], { cwd: folder, encoding: 'utf8' }).trim();
  execFileSync('tar', ['xzf', archive], { cwd: folder });
  rmSync(join(folder, archive));
  return folder;
}

const percentile = (values, share) => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.ceil(share * values.length) - 1)];
const median = (values) => percentile(values, 0.5);

async function timed(work) {
  const cpu = process.cpuUsage();
  const start = performance.now();
  const value = await work();
  const wall = performance.now() - start;
  const used = process.cpuUsage(cpu);
  return { wall, cpu: (used.user + used.system) / 1000, value };
}

function limitsOf(project) {
  const run = spawnSync('cargo', ['run', '--release', '--locked', '--quiet', '--example', 'speed_limits', '--', project, String(threads)], {
    encoding: 'utf8',
  });
  if (run.status !== 0) throw new Error(run.stderr);
  return JSON.parse(run.stdout);
}

async function measure(name, project, requests, changeable) {
  const limits = limitsOf(project);
  const rows = [];
  const row = (label, runs, beside, limit, limitCpu) => {
    const wall = median(runs.map((run) => run.wall));
    const cpu = median(runs.map((run) => run.cpu));
    rows.push({
      what: label,
      'wall ms': wall.toFixed(1),
      'cpu ms': cpu.toFixed(1),
      'limit ms': limit?.toFixed(1) ?? '',
      limit: beside ?? '',
      ratio: limit ? (wall / limit).toFixed(2) : '',
      'ratio of cpu': limitCpu ? (cpu / limitCpu).toFixed(2) : '',
    });
  };

  const cold = [];
  let data;
  let indexBytes;
  for (let run = 0; run < RUNS; run++) {
    data = join(scratch, `${basename(project)}-${run}`);
    const handle = await addon.openProject({ path: project, trusted: true, dataDirectory: data, bounds });
    cold.push(await timed(() => handle.sync()));
    const { store } = await handle.status();
    await handle.close();
    indexBytes = statSync(store.path).size;
  }
  row('cold sync', cold, 'read + hash + bare parse', limits.hash + limits.parse, limits.hashCpu + limits.parseCpu);

  const opened = await timed(() => addon.openProject({ path: project, trusted: true, dataDirectory: data, bounds }));
  const handle = opened.value;
  const first = await timed(() => handle.retrieve({ text: requests[0] }));
  row('open + first answer', [{ wall: opened.wall + first.wall, cpu: opened.cpu + first.cpu }]);

  const unchanged = [];
  for (let run = 0; run < RUNS; run++) unchanged.push(await timed(() => handle.sync()));
  row('no-change sync', unchanged, 'stat walk', limits.stat);

  if (changeable) {
    const one = [];
    const before = readFileSync(changeable);
    for (let run = 0; run < RUNS; run++) {
      appendFileSync(changeable, `// change ${run}\n`);
      one.push(await timed(() => handle.sync()));
    }
    writeFileSync(changeable, before);
    await handle.sync();
    row('one-file sync', one, 'stat walk', limits.stat);
  }

  const warm = [];
  for (let query = 0; query < QUERIES; query++) warm.push(await timed(() => handle.retrieve({ text: requests[query % requests.length] })));
  const status = await handle.status();
  const walls = warm.map((run) => run.wall);
  console.log(
    `\n${name}: ${limits.files} files, ${(limits.bytes / 1e6).toFixed(1)} MB (${(limits.parsedBytes / 1e6).toFixed(1)} MB parsed), ${status.counts.chunks} chunks, ${status.counts.symbols} symbols, ${threads} threads`,
  );
  console.table(rows);
  console.table([
    {
      what: `warm retrieval with proof, ${QUERIES} requests, ${requests.length} different`,
      p50: percentile(walls, 0.5).toFixed(2),
      p95: percentile(walls, 0.95).toFixed(2),
      p99: percentile(walls, 0.99).toFixed(2),
      'snippets proven (mean)': (warm.reduce((sum, run) => sum + run.value.messages.length, 0) / QUERIES).toFixed(1),
      'files read (mean)': (warm.reduce((sum, run) => sum + run.value.filesRead, 0) / QUERIES).toFixed(1),
    },
  ]);
  await handle.close();
  console.log(
    `index on disk after the cold sync: ${(indexBytes / 1e6).toFixed(1)} MB = ${(indexBytes / status.counts.textBytes).toFixed(2)} x the indexed text`,
  );
  const stages = (what, runs) => {
    const names = Object.keys(runs[0]);
    console.table([{ what, ...Object.fromEntries(names.map((name) => [name, median(runs.map((run) => run[name])).toFixed(2)])) }]);
  };
  stages(
    'cold sync, ms of all threads by stage',
    cold.map(({ value }) => value.timings),
  );
  stages(
    'warm retrieval, ms by stage',
    warm.map(({ value }) => value.manifest.timings),
  );
}

async function measureGenerated(count) {
  const project = join(scratch, `tree-${count}`);
  makeTree(project, count);
  await measure(`generated ${count}`, project, requestsFor(count, QUERIES), join(project, filePath(1)));
  rmSync(project, { recursive: true });
}

const WORDS = 'class function export type error config read write parse test value list cache queue client server request response event task'.split(' ');

/** Half of the requests ask for a name, half for more. */
async function measureReal(name) {
  const project = folderOf(name);
  const handle = await addon.openProject({ path: project, trusted: true, dataDirectory: join(scratch, 'names'), bounds });
  await handle.sync();
  const names = new Set();
  for (const text of WORDS) {
    for (const { snippet } of await handle.search({ text, maxResults: 100 })) names.add(snippet.symbol ?? snippet.path);
  }
  await handle.close();
  const requests = [...names].flatMap((name) => [`where is ${name} defined?`, `how is ${name} tested and used`]);
  await measure(basename(project), project, requests);
}

try {
  const given = process.argv.slice(2);
  for (const what of given.length > 0 ? given : ['1000', '10000', 'real']) {
    if (/^\d+$/.test(what)) await measureGenerated(Number(what));
    else await measureReal(what);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
