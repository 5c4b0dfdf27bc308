// Retrieval quality on a folder of data: `npm run bench:quality -- <data folder> <trees folder> [harness options]`.
//
// The data folder holds the harness (bench_quality.py) and data/*.jsonl; the trees folder holds one tree per repository. Archives of
// trees in `<data folder>/corpora` are unpacked into the trees folder if it does not exist. The engine is the built addon, through `serve`.
//
// With `--semantic <folder of a static model>` (`python3 bench/static_model.py <folder>` makes one) closeness in meaning is compared with words alone.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const given = process.argv.slice(2);
const at = given.indexOf('--semantic');
const [model] = at === -1 ? [] : given.splice(at, 2).slice(1);
const [dataFolder, treesFolder, ...options] = given;
if (!dataFolder || !treesFolder || (at !== -1 && !model)) {
  console.error('usage: npm run bench:quality -- [--semantic <model folder>] <data folder> <trees folder> [options of bench_quality.py]');
  process.exit(2);
}
const data = resolve(dataFolder);
const trees = resolve(treesFolder);

function run(command, args, settings = {}) {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit', ...settings });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

if (!existsSync(trees)) {
  mkdirSync(trees, { recursive: true });
  for (const archive of readdirSync(join(data, 'corpora'))
    .filter((name) => name.endsWith('.tar.xz'))
    .sort()) {
    run('tar', ['xJf', join(data, 'corpora', archive), '-C', trees]);
  }
}

const queries = readdirSync(join(data, 'data'))
  .filter((name) => name.endsWith('.jsonl'))
  .sort()
  .map((name) => join(data, 'data', name));
const serve = fileURLToPath(new URL('serve.mjs', import.meta.url));
const quote = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

function measure(name, more = [], settings = []) {
  const command = [process.execPath, serve].map(quote).concat('{repo}', '{state}', more.map(quote)).join(' ');
  const harness = [join(data, 'bench_quality.py'), '--data', ...queries, '--trees', trees, '--engine', 'cmd', '--name', name, '--serve', command];
  run('python3', [...harness, ...settings, ...options]);
}

const MEASURES = ['recall8', 'p1', 'mrr', 'region8', 'line1', 'tokens', 'p50', 'p95'];

/** Words alone, then words and meaning, in turns over the same requests; what the vectors gained and what they cost. */
function compare(model) {
  const scratch = mkdtempSync(join(tmpdir(), 'bench-semantic-'));
  try {
    const [costs, summary, out] = ['costs', 'summary', 'out'].map((name) => join(scratch, name));
    measure('words', [], ['--summary', summary, '--out', out]);
    measure('meaning', [model, costs], ['--summary', summary, '--out', out]);
    const lines = (file) =>
      readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    const all = lines(summary).filter(({ repo }) => repo.startsWith('ALL') || queries.length === 1);
    const rows = [];
    for (const { kind, n } of all.filter(({ engine }) => engine === 'words')) {
      const [words, meaning] = ['words', 'meaning'].map((name) => all.find((row) => row.engine === name && row.kind === kind));
      const { better, worse } = counted(lines(out), kind);
      const row = (name, value) => rows.push({ requests: `${kind} (${n})`, '': name, ...Object.fromEntries(MEASURES.map((key) => [key, value(key)])) });
      row('words', (key) => words[key]);
      row('words and meaning', (key) => meaning[key]);
      row(`gain (${better} better, ${worse} worse)`, (key) => Number((meaning[key] - words[key]).toFixed(3)));
    }
    console.table(rows);
    console.table(
      lines(costs).map(({ repo, syncMs, embedded, embedMs, bytes }) => ({
        repository: repo,
        'sync ms': Math.round(syncMs),
        texts: embedded,
        'embedding ms': Math.round(embedMs),
        'MB more': (bytes / 1e6).toFixed(1),
      })),
    );
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Requests of a kind of which more, or fewer, of the right files were found with meaning. */
function counted(results, kind) {
  const found = new Map(results.filter((row) => row.engine === 'words' && row.kind === kind).map((row) => [row.id, row.recall8]));
  const gains = results.filter((row) => row.engine === 'meaning' && row.kind === kind).map((row) => row.recall8 - found.get(row.id));
  return { better: gains.filter((gain) => gain > 0).length, worse: gains.filter((gain) => gain < 0).length };
}

if (model) compare(resolve(model));
else measure('pi-context');
