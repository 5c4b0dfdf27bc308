// Symbols beside those of universal-ctags: `npm run bench:symbols -- [language …] [language=folder …]`.
//
// For each language, real source trees: packages of the language's registry, fetched by name and version into the system's folder for
// temporary files, or the given folder. A definition of ctags counts as found if a symbol of its name covers its line. What is left out on
// purpose is listed with its count and samples; `raw` is the share found of all, `kept` of what is not left out. `undeclared` is the part of it
// that the last rule leaves out, because a bare tree declares no such name there; `kept with them` is the share if those count as missed.
//
// `INSTRUCTIONS=1` adds what symbols and chunks take as a multiple of a bare parse in instructions, as callgrind counts them over a sample of the
// files: they are the same on a busy machine, which the times behind `x bare parse` are not.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fetched } from './packages.mjs';
import { leftOut, UNDECLARED } from './symbols-left-out.mjs';

const MAX_FILE_BYTES = 512_000;
const COUNTED_BYTES = 700_000;
const SAMPLES = Number(process.env.SAMPLES ?? 5);
const scratch = mkdtempSync(join(tmpdir(), 'bench-symbols-'));

/** Per language: its name in ctags, extensions, further options, and what ctags names that is no declaration for us. */
const languages = {
  python: { ctags: 'Python', ext: ['py', 'pyi'] },
  go: { ctags: 'Go', ext: ['go'] },
  rust: { ctags: 'Rust', ext: ['rs'] },
  typescript: { ctags: 'TypeScript', ext: ['ts', 'mts', 'cts', 'tsx'] },
  javascript: { ctags: 'JavaScript', ext: ['js', 'mjs', 'cjs', 'jsx'] },
  java: { ctags: 'Java', ext: ['java'] },
  c: { ctags: 'C', ext: ['c', 'h'], options: ['--kinds-C=+p', '--map-C=+.h'] },
  cpp: { ctags: 'C++', ext: ['cc', 'cpp', 'cxx', 'hpp', 'hh'], options: ['--kinds-C++=+p'] },
  csharp: { ctags: 'C#', ext: ['cs'] },
  ruby: { ctags: 'Ruby', ext: ['rb'] },
  php: { ctags: 'PHP', ext: ['php'] },
  kotlin: { ctags: 'Kotlin', ext: ['kt', 'kts'] },
  bash: { ctags: 'Sh', ext: ['sh', 'bash'] },
  lua: { ctags: 'Lua', ext: ['lua'] },
};

/** A name as ctags writes it, and as the source may. */
function spellings(name) {
  const bare = name.startsWith('operator') ? name.replaceAll(' ', '') : name.replaceAll(/::|\\|:/g, '.');
  const key = /\["([^"]+)"\]$/.exec(name)?.[1] ?? name;
  return [...new Set([name, key, bare, bare.split('.').pop(), name.replace(/^operator/, 'operator '), name.replace(/=$/, ''), `${name}?`, `${name}!`])];
}

function filesBelow(folder, extensions) {
  const found = [];
  const open = [folder];
  while (open.length > 0) {
    const next = open.pop();
    for (const entry of readdirSync(next, { withFileTypes: true })) {
      const path = join(next, entry.name);
      if (entry.isDirectory() && !['.git', 'node_modules', 'target'].includes(entry.name)) open.push(path);
      else if (entry.isFile() && extensions.includes(entry.name.split('.').pop())) found.push(path);
    }
  }
  return found.sort();
}

function run(command, args, options = {}) {
  const done = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 2 ** 30, ...options });
  if (done.status !== 0) throw new Error(`${command} ${args.join(' ')}: ${done.stderr ?? done.error}`);
  return done.stdout;
}

/** Instructions of finding symbols and cutting chunks over those of a bare parse, in about `COUNTED_BYTES` of the files. */
function instructions(files) {
  const bytes = files.reduce((sum, path) => sum + statSync(path).size, 0);
  const step = Math.ceil(bytes / COUNTED_BYTES);
  const list = join(scratch, 'sample');
  writeFileSync(list, `${files.filter((_, index) => index % step === 0).join('\n')}\n`);
  run('cargo', ['build', '--release', '--locked', '--quiet', '--example', 'parse_cost']);
  const [none, bare, own] = ['none', 'bare', 'own'].map((mode) => {
    const command = ['--tool=callgrind', '--callgrind-out-file=/dev/null', 'target/release/examples/parse_cost', mode, list];
    const { status, stderr } = spawnSync('valgrind', command, { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    return Number(/Collected : (\d+)/.exec(stderr)[1]);
  });
  return ((own - none) / (bare - none)).toFixed(2);
}

function measure(language, folders) {
  const { ctags, ext, options = [] } = languages[language];
  const files = folders.flatMap((folder) => filesBelow(folder, ext)).filter((path) => readFileSync(path).length <= MAX_FILE_BYTES && !/\.min\.js$/.test(path));
  const list = join(scratch, 'list');
  writeFileSync(list, `${files.join('\n')}\n`);
  const rows = run('cargo', ['run', '--release', '--locked', '--quiet', '--example', 'outline', '--', list]).trim().split('\n').map(JSON.parse);
  const total = rows.pop();
  const ours = new Map(rows.map((row) => [row.path, row]));
  const theirs = run('ctags', [
    '--output-format=json',
    '--fields=+neK',
    '--sort=no',
    `--language-force=${ctags}`,
    '--extras=-{anonymous}',
    ...options,
    '-L',
    list,
  ])
    .trim()
    .split('\n')
    .filter(Boolean)
    .map(JSON.parse)
    .filter((tag) => tag._type === 'tag');
  let [both, missed] = [0, 0];
  const out = new Map();
  const misses = [];
  const matched = new Set();
  const sources = new Map();
  for (const tag of theirs) {
    const file = ours.get(tag.path);
    if (!file) continue;
    const names = spellings(tag.name);
    const named = file.symbols.filter(
      (symbol) => names.some((name) => name === symbol.name || name === symbol.qualifiedName) && symbol.line <= tag.line && tag.line <= symbol.endLine,
    );
    if (named.length > 0) {
      both += 1;
      for (const symbol of named) matched.add(symbol);
      continue;
    }
    if (!sources.has(tag.path)) sources.set(tag.path, readFileSync(tag.path, 'utf8').split(/\r\n|\n|\r/));
    const sample = `${tag.path.split('/').slice(-2).join('/')}:${tag.line} ${tag.kind} ${tag.name}`;
    const why = leftOut(language, tag, file, sources.get(tag.path));
    if (why) out.set(why, [...(out.get(why) ?? []), sample]);
    else {
      missed += 1;
      misses.push([tag.kind, sample]);
    }
  }
  const count = [...out.values()].reduce((sum, samples) => sum + samples.length, 0);
  const undeclared = out.get(UNDECLARED)?.length ?? 0;
  const symbols = rows.reduce((sum, row) => sum + row.symbols.length, 0);
  const share = (part, whole) => `${((100 * part) / Math.max(1, whole)).toFixed(2)} %`;
  return {
    row: {
      language,
      files: files.length,
      MB: (total.bytes / 1e6).toFixed(1),
      both,
      'only ours': symbols - matched.size,
      'only ctags': missed + count,
      'left out': count,
      raw: share(both, both + missed + count),
      kept: share(both, both + missed),
      undeclared,
      'kept with them': share(both, both + missed + undeclared),
      'x bare parse': (total.parseMs / total.bareMs).toFixed(2),
      ...(process.env.INSTRUCTIONS && { 'x in instructions': instructions(files) }),
    },
    out,
    misses,
  };
}

const given = process.argv.slice(2);
const chosen = given.length > 0 ? given : Object.keys(languages);
try {
  const results = [];
  for (const argument of chosen) {
    const [language, folder] = argument.split('=');
    if (!languages[language]) throw new Error(`no such language: ${language}; one of ${Object.keys(languages).join(', ')}`);
    const folders = folder ? [resolve(folder)] : fetched(language);
    if (folders.length > 0) results.push(measure(language, folders));
  }
  console.table(results.map((result) => result.row));
  for (const { row, out, misses } of results) {
    console.log(`\n${row.language}: left out on purpose`);
    for (const [why, samples] of out) console.log(`  ${samples.length} ${why}: ${spread(samples).join(', ')}`);
    const kinds = new Map();
    for (const [kind, sample] of misses) kinds.set(kind, [...(kinds.get(kind) ?? []), sample]);
    console.log(`${row.language}: missed`);
    for (const [kind, samples] of kinds) console.log(`  ${samples.length} ${kind}: ${spread(samples).join(', ')}`);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** Samples from all over the list. */
function spread(list) {
  const step = Math.max(1, Math.floor(list.length / SAMPLES));
  return list.filter((_, index) => index % step === 0).slice(0, SAMPLES);
}
