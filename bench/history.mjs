// More change requests from repositories' own past: `npm run bench:history -- [--changes N] [--steps N] <git trees folder> <new out folder>`.
//
// Each Git checkout in the trees folder is taken back step by step: a step ends where N changes that could be asked for (80) came after it, and at most so
// many steps (12) are made. For each, `trees/<repository>-NN` is the older commit, of whose later ones nothing can be reached, and
// `data/<repository>-NN.jsonl` has the messages of the changes that came in that step, the files that they changed and the lines of the older tree that
// they touched. The example `quality` takes the out folder and its trees as they are. The trees borrow the objects of the checkouts, which must stay.

import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { devNull } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { isChange, isEnough, requestOf } from './messages.mjs';

const MAX_FILES = 25;
const MAX_TRUTH = 4;
const MAX_NEW = 2;
/** Requests of a step with the same first file: one file's history must not decide a figure. */
const MAX_SAME_FILE = 3;
/** Of a step's changes, the share that must be found in its tree; fewer are where a repository was put together or its files were moved. */
const LEAST_FOUND = 1 / 8;
const SOURCE = /\.(?:[cm]?[jt]sx?|py|rs)$/;
const NO_SOURCE =
  /(?:^|\/)(?:t|tests?|specs?|__tests__|testdata|fixtures?|dtslint|examples?|docs?|website|playground|bench(?:es|marks?)|scripts?)\/|[._-](?:test|spec|tst)s?\.|(?:^|\/)test_|conftest|(?:^|\/)setup\.py$|\.d\.ts$|\.config\.|docgen|vitest/i;

// What the user's own configuration and surroundings say must not change what is printed.
const own = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
const env = { ...Object.fromEntries(own), GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C' };
const git = (folder, ...args) => execFileSync('git', ['-C', folder, '-c', 'core.quotePath=false', ...args], { encoding: 'utf8', env, maxBuffer: 2 ** 30 });

/** All commits by their hash, with the request that the message makes; the newest is the first. */
function commitsOf(folder) {
  const log = git(folder, 'log', '--no-renames', '--name-only', '-z', '--format=%x01%H%x02%P%x02%s%x02%b%x02', 'HEAD');
  return new Map(
    log
      .split('\x01')
      .slice(1)
      .map((record) => {
        const [hash, parents, subject, body, files] = record.split('\x02');
        const paths = files.split('\0').map((path) => path.replace(/^\n/, ''));
        return [hash, { hash, parents: parents.split(' ').filter(Boolean), subject, request: requestOf(subject, body), files: paths.filter(Boolean) }];
      }),
  );
}

/** The first parents from the newest commit on, each with the commits that it brought: itself, last, and what it merged. Newest first. */
function mainLine(commits) {
  const line = [];
  for (let [commit] = commits.values(); commit; commit = commits.get(commit.parents[0])) line.push({ commit, brought: [] });
  const seen = new Set();
  for (const { commit, brought } of line.toReversed()) {
    const open = [commit];
    for (let next = open.pop(); next; next = open.pop()) {
      if (seen.has(next.hash)) continue;
      seen.add(next.hash);
      brought.unshift(next);
      open.push(...next.parents.map((hash) => commits.get(hash)).filter(Boolean));
    }
  }
  return line;
}

/** A request that an older commit made already can be answered from the past, word by word. */
function dropRepeated(line) {
  const made = new Set();
  for (const part of line.toReversed()) part.brought = part.brought.filter(({ request }) => !made.has(request) && made.add(request));
}

const sources = (files) => files.filter((path) => SOURCE.test(path) && !NO_SOURCE.test(path));

/** A change of many files has no few that answer it, and a merge is no change of its own. */
function couldAsk({ parents, subject, request, files }) {
  const count = sources(files).length;
  return parents.length === 1 && isChange(subject) && isEnough(request) && files.length <= MAX_FILES && count > 0 && count <= MAX_TRUTH + MAX_NEW;
}

/** Cuts the main line: the commit a step goes back to and the changes that came after it, oldest first. What is left at the end is no step. */
function stepsOf(line, changes, steps) {
  const cut = [];
  let after = [];
  for (const { commit, brought } of line) {
    after = [...brought.filter(couldAsk), ...after];
    if (after.length < changes || commit.parents.length === 0) continue;
    cut.push({ base: commit.parents[0], after });
    after = [];
    if (cut.length === steps) break;
  }
  return cut;
}

/** The tree of a commit, from which only its ancestors can be reached: no reference, remote or log of references names another one. */
function checkOut(folder, base, tree) {
  const objects = git(folder, 'rev-parse', '--path-format=absolute', '--git-path', 'objects').trim();
  mkdirSync(tree, { recursive: true });
  git(tree, 'init', '--quiet');
  writeFileSync(join(tree, '.git/objects/info/alternates'), `${objects}\n`);
  git(tree, 'checkout', '--quiet', '--detach', base);
}

/** The files that a change found in the older tree, if they are few and the change is not mostly of new ones. */
function truthOf({ files }, tree) {
  const all = sources(files);
  const there = all.filter((path) => lstatSync(join(tree, path), { throwIfNoEntry: false })?.isFile());
  return there.length > 0 && there.length <= MAX_TRUTH && all.length - there.length <= MAX_NEW ? there : undefined;
}

/** The hunks of changes, each as the lines that were there before: by commit, then by path. */
function hunksOf(folder, hashes) {
  const patches = git(folder, 'show', '--format=commit %H', '--unified=2', '--no-renames', '--no-ext-diff', '--no-textconv', ...hashes);
  const before = (hunk) => hunk.split('\n').filter((line) => line[0] === ' ' || line[0] === '-');
  const parts = (text, start) => text.split(start).slice(1);
  return new Map(
    parts(patches, /^commit /m).map((patch) => [
      patch.slice(0, patch.indexOf('\n')),
      new Map(
        parts(patch, /^diff --git /m).map((file) => [
          file.match(/^--- a\/(.*?)\t?$/m)?.[1],
          parts(file, /^@@ .*\n/m).map((hunk) => before(hunk).map((line) => line.slice(1).trimEnd())),
        ]),
      ),
    ]),
  );
}

/** Where the lines stand in the older tree: the hunk of a later change says which lines, but not any longer where. Undefined if most are nowhere. */
function regionsOf(truth, hunks, tree) {
  const regions = [];
  let count = 0;
  for (const path of truth) {
    const text = readFileSync(join(tree, path), 'utf8').split('\n');
    const lines = `\n${text.map((line) => line.trimEnd()).join('\n')}\n`;
    for (const before of hunks.get(path) ?? []) {
      count++;
      const at = before.length === 0 ? -1 : lines.indexOf(`\n${before.join('\n')}\n`);
      if (at === -1) continue;
      const from = lines.slice(0, at + 1).split('\n').length - 1;
      regions.push([path, from, from + before.length - 1]);
    }
  }
  return count > 0 && regions.length * 2 >= count ? regions : undefined;
}

/** The requests of a step as the records of a benchmark. */
function recordsOf(folder, tree, repo, { base, after }) {
  const hunks = hunksOf(
    folder,
    after.map(({ hash }) => hash),
  );
  const records = [];
  for (const change of after) {
    const truth = truthOf(change, tree);
    if (!truth || records.filter((record) => record.truth[0] === truth[0]).length === MAX_SAME_FILE) continue;
    const regions = regionsOf(truth, hunks.get(change.hash), tree);
    if (!regions) continue;
    const id = `${repo}-${String(records.length).padStart(3, '0')}`;
    records.push({ id, repo, base, kind: 'change', query: change.request, truth, regions, commit: change.hash });
  }
  return records;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { changes: { type: 'string', default: '80' }, steps: { type: 'string', default: '12' } },
});
const [treesFolder, outFolder] = positionals;
const [changes, steps] = [values.changes, values.steps].map(Number);
if (!treesFolder || !outFolder || existsSync(outFolder) || !(changes > 0) || !(steps > 0)) {
  console.error('usage: npm run bench:history -- [--changes N] [--steps N] <git trees folder> <out folder that does not exist>');
  process.exit(2);
}
const out = resolve(outFolder);
mkdirSync(join(out, 'data'), { recursive: true });
const rows = [];
for (const repository of readdirSync(treesFolder).sort()) {
  const folder = resolve(treesFolder, repository);
  if (!existsSync(join(folder, '.git'))) continue;
  const line = mainLine(commitsOf(folder));
  dropRepeated(line);
  for (const [index, step] of stepsOf(line, changes, steps).entries()) {
    const name = `${repository}-${String(index + 1).padStart(2, '0')}`;
    const tree = join(out, 'trees', name);
    checkOut(folder, step.base, tree);
    const records = recordsOf(folder, tree, name, step);
    if (records.length < step.after.length * LEAST_FOUND) {
      rmSync(tree, { recursive: true });
      continue;
    }
    writeFileSync(join(out, 'data', `${name}.jsonl`), records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    const date = git(folder, 'log', '-1', '--format=%cs', step.base).trim();
    rows.push({ repository, step: index + 1, date, changes: step.after.length, requests: records.length });
  }
}
console.table(rows);
