// Retrieval quality on a folder of data: `npm run bench:quality -- <data folder> <trees folder> [harness options]`.
//
// The data folder holds the harness (bench_quality.py) and data/*.jsonl; the trees folder holds one tree per repository. Archives of
// trees in `<data folder>/corpora` are unpacked into the trees folder if it does not exist. The engine is the built addon, through `serve`.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const [dataFolder, treesFolder, ...options] = process.argv.slice(2);
if (!dataFolder || !treesFolder) {
  console.error('usage: npm run bench:quality -- <data folder> <trees folder> [options of bench_quality.py]');
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
run('python3', [
  join(data, 'bench_quality.py'),
  '--data',
  ...queries,
  '--trees',
  trees,
  '--engine',
  'cmd',
  '--name',
  'pi-context',
  '--serve',
  `${quote(process.execPath)} ${quote(serve)} {repo} {state}`,
  ...options,
]);
