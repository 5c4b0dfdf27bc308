// Speed beside the machine's own limits: `npm run bench:speed -- [project folder or npm package@version ...]`.
//
// Without folders, generated trees of 1,000 and 5,000 files. Prints a table for each; times are milliseconds, medians of five runs.

import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import addon from '../index.js';
import { filePath, makeTree, requestsFor } from './tree.mjs';

const RUNS = 5;
const QUERIES = 200;
const threads = Number(process.env.THREADS ?? 2);
const bounds = { maxFiles: 1_000_000, maxTotalBytes: 10_000_000_000, maxDirectories: 1_000_000, threads };
const scratch = mkdtempSync(join(tmpdir(), 'bench-speed-'));

/** A project's folder: the one named, or that of a package, fetched. */
function folderOf(name) {
  if (existsSync(name)) return resolve(name);
  const folder = join(scratch, name.replaceAll('/', '+'));
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
  const report = cold.at(-1).value;
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
    },
  ]);
  await handle.close();
  console.log(
    `index on disk after the cold sync: ${(indexBytes / 1e6).toFixed(1)} MB = ${(indexBytes / status.counts.textBytes).toFixed(2)} x the indexed text`,
  );
  console.log(
    'cold sync, thread time by stage (ms):',
    Object.entries(report.timings)
      .map(([stage, ms]) => `${stage} ${ms.toFixed(0)}`)
      .join(', '),
  );
}

try {
  const folders = process.argv.slice(2);
  if (folders.length === 0) {
    for (const count of [1_000, 5_000]) {
      const project = join(scratch, `tree-${count}`);
      makeTree(project, count);
      const requests = requestsFor(count, QUERIES);
      await measure(`generated ${count}`, project, requests, join(project, filePath(1)));
    }
  }
  for (const folder of folders) {
    const project = folderOf(folder);
    const handle = await addon.openProject({ path: project, trusted: true, dataDirectory: join(scratch, 'names'), bounds });
    await handle.sync();
    const names = (await handle.search({ text: 'class function export type', maxResults: 100 })).map((hit) => hit.snippet.symbol ?? hit.snippet.path);
    await handle.close();
    await measure(
      basename(project),
      project,
      names.flatMap((name) => [`where is ${name} defined?`, `how is ${name} tested and used`]),
    );
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
