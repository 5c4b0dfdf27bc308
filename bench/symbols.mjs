// Symbols beside those of universal-ctags: `npm run bench:symbols -- [language …] [language=folder …]`.
//
// For each language, real source trees: packages of the language's registry, fetched by name and version into the system's folder for
// temporary files, or the given folder. A definition of ctags counts as found if a symbol of its name covers its line. What is left out is listed
// with its count and samples, on purpose and as mistakes of ctags apart: `raw` is the share found of all, `of true ones` of all but the mistakes,
// `kept` of what no rule leaves out.
//
// What only we have is checked too: `named` is the share of it whose name stands in its range, `alone` the share of those at the top level whose
// range, parsed alone, declares that name again. `SAMPLES` of it are printed, drawn with a fixed seed, to be read.
//
// `INSTRUCTIONS=1` adds what symbols and chunks take as a multiple of a bare parse in instructions, as callgrind counts them over a sample of the
// files: they are the same on a busy machine, which the times behind `x bare parse` are not.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fetched } from './packages.mjs';
import { bareName, leftOut } from './symbols-left-out.mjs';

const MAX_FILE_BYTES = 512_000;
const COUNTED_BYTES = 700_000;
const SAMPLES = Number(process.env.SAMPLES ?? 20);
const SEED = 20_240_501;
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
  const computed = /\[[^\]"']+\]$/.exec(name)?.[0] ?? name;
  return [
    ...new Set([name, key, computed, bare, bare.split('.').pop(), name.replace(/^operator/, 'operator '), name.replace(/=$/, ''), `${name}?`, `${name}!`]),
  ];
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
  const ours = new Map(rows.slice(0, -1).map((row) => [row.path, row]));
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
  let both = 0;
  const others = [];
  const matched = new Set();
  for (const tag of theirs) {
    const file = ours.get(tag.path);
    if (!file) continue;
    const names = spellings(tag.name);
    const named = file.symbols.filter(
      (symbol) => names.some((name) => name === symbol.name || name === symbol.qualifiedName) && symbol.line <= tag.line && tag.line <= symbol.endLine,
    );
    for (const symbol of named) matched.add(symbol);
    if (named.length > 0) both += 1;
    else others.push(tag);
  }
  const [choices, mistakes, misses] = [new Map(), new Map(), new Map()];
  const add = (map, key, sample) => map.set(key, [...(map.get(key) ?? []), sample]);
  const places = placesOf(others);
  others.forEach((tag, index) => {
    const out = leftOut(language, tag, places[index], linesOf(tag.path));
    const sample = `${short(tag.path)}:${tag.line} ${tag.kind} ${tag.name}`;
    if (out) add(out.isMistake ? mistakes : choices, out.why, sample);
    else add(misses, tag.kind, sample);
  });
  const total = rows.at(-1);
  const count = (map) => [...map.values()].reduce((sum, samples) => sum + samples.length, 0);
  const only = rows.slice(0, -1).flatMap((row) => row.symbols.filter((symbol) => !matched.has(symbol)).map((symbol) => ({ ...symbol, path: row.path })));
  const tops = only.filter((symbol) => symbol.alone !== null);
  const share = (part, whole) => (whole === 0 ? '-' : `${((100 * part) / whole).toFixed(2)} %`);
  return {
    row: {
      language,
      files: files.length,
      MB: (total.bytes / 1e6).toFixed(1),
      both,
      'left out': count(choices),
      mistakes: count(mistakes),
      missed: count(misses),
      raw: share(both, both + others.length),
      'of true ones': share(both, both + count(choices) + count(misses)),
      kept: share(both, both + count(misses)),
      'only ours': only.length,
      named: share(only.filter((symbol) => symbol.named).length, only.length),
      alone: share(tops.filter((symbol) => symbol.alone).length, tops.length),
      'x bare parse': (total.parseMs / total.bareMs).toFixed(2),
      ...(process.env.INSTRUCTIONS && { 'x in instructions': instructions(files) }),
    },
    choices,
    mistakes,
    misses,
    only: drawn(only).map(
      (symbol) => `${short(symbol.path)}:${symbol.line}-${symbol.endLine} ${symbol.kind} ${symbol.qualifiedName} | ${symbol.signature.slice(0, 100)}`,
    ),
  };
}

const short = (path) => path.split('/').slice(-2).join('/');

const sources = new Map();
function linesOf(path) {
  if (!sources.has(path)) sources.set(path, readFileSync(path, 'utf8').split(/\r\n|\n|\r/));
  return sources.get(path);
}

/** What the grammar's bare tree has at the places of definitions. */
function placesOf(tags) {
  const list = join(scratch, 'places');
  writeFileSync(list, tags.map((tag) => `${tag.path}\t${tag.line}\t${bareName(tag)}\n`).join(''));
  const answers = run('cargo', ['run', '--release', '--locked', '--quiet', '--example', 'tokens', '--', list]);
  return answers.split('\n').filter(Boolean).map(JSON.parse);
}

/** Some of a list, the same each time. */
function drawn(list) {
  const rest = [...list];
  let state = SEED;
  return Array.from({ length: Math.min(SAMPLES, list.length) }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return rest.splice(Math.floor((state / 2 ** 32) * rest.length), 1)[0];
  });
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
  for (const { row, choices, mistakes, misses, only } of results) {
    for (const [title, map] of [
      ['left out on purpose', choices],
      ['mistakes of ctags', mistakes],
      ['missed', misses],
    ]) {
      console.log(`\n${row.language}: ${title}`);
      for (const [why, samples] of map) console.log(`  ${samples.length} ${why}: ${drawn(samples).slice(0, 6).join(', ')}`);
    }
    console.log(`\n${row.language}: only ours`);
    for (const sample of only) console.log(`  ${sample}`);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
