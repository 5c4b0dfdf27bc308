// Instructions: `npm run bench:instructions [-- --update]`.
//
// Counts under callgrind what a cold sync of a fixed tree of 200 files and 30 fixed requests take, as multiples of a reference function (`instructions.rs`),
// and compares with `instructions.json`: unlike times, the counts are the same on a busy machine. `--update` writes that file.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeTree, requestsFor } from './tree.mjs';

const FILES = 200;
const REQUESTS = 30;
const known = new URL('instructions.json', import.meta.url);

execFileSync('cargo', ['build', '--release', '--locked', '--quiet', '--example', 'instructions'], { stdio: 'inherit' });
const scratch = mkdtempSync(join(tmpdir(), 'bench-instructions-'));
const [project, requests] = [join(scratch, 'tree'), join(scratch, 'requests')];
mkdirSync(project);
makeTree(project, FILES);
writeFileSync(requests, requestsFor(FILES, REQUESTS).join('\n'));

function count(mode, data) {
  const command = ['--tool=callgrind', '--callgrind-out-file=/dev/null', 'target/release/examples/instructions', mode, project, join(scratch, data), requests];
  const { status, stderr } = spawnSync('valgrind', command, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return Number(/Collected : (\d+)/.exec(stderr)[1]);
}

try {
  const reference = count('reference', 'none');
  count('open', 'data');
  const open = count('open', 'data');
  const sync = count('sync', 'data') - open;
  const answers = count('answers', 'data') - open;
  const ratio = (instructions) => Number((instructions / reference).toFixed(3));
  const found = { open: ratio(open), [`sync of ${FILES} files`]: ratio(sync), [`${REQUESTS} answers`]: ratio(answers) };
  const before = process.argv.includes('--update') ? {} : JSON.parse(readFileSync(known, 'utf8'));
  console.table(
    Object.entries(found).map(([what, now]) => ({
      what,
      'x reference': now,
      before: before[what] ?? '',
      change: before[what] ? `${((100 * now) / before[what] - 100).toFixed(1)} %` : '',
    })),
  );
  if (process.argv.includes('--update')) writeFileSync(known, `${JSON.stringify(found, null, 2)}\n`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
