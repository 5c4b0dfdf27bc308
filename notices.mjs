// The notices of what is compiled into the addon: `npm run notices` writes THIRD-PARTY-NOTICES.md, `npm run notices -- --check` compares it.

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(fileURLToPath(import.meta.url));
const target = join(root, 'THIRD-PARTY-NOTICES.md');

function metadata() {
  const { status, stdout, stderr } = spawnSync('cargo', ['metadata', '--locked', '--format-version', '1'], { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

/** Only builds need it, but what it carries (a vocabulary) is compiled in. */
const COMPILED_IN = 'bpe-openai';

/** The packages that the addon links, by name: what its own package needs, without what only builds and tests need. */
function linked({ packages, resolve }) {
  const nodes = new Map(resolve.nodes.map((node) => [node.id, node]));
  const seen = new Set([resolve.root]);
  for (const id of seen) {
    for (const { pkg, dep_kinds: kinds } of nodes.get(id).deps) {
      if (kinds.some(({ kind }) => kind === null)) seen.add(pkg);
    }
  }
  const names = packages.filter(({ id, name }) => id !== resolve.root && (seen.has(id) || name === COMPILED_IN));
  return names.sort((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : one.version < other.version ? -1 : 1));
}

/** The texts that a package ships with its own words; each is quoted once, under the packages that ship it. */
function textsOf(manifest) {
  const folder = dirname(manifest);
  const files = readdirSync(folder, { withFileTypes: true }).filter(
    (entry) => entry.isFile() && /^(licen[cs]e|copying|notice|unlicense|copyright)/i.test(entry.name),
  );
  return files.map(({ name }) => readFileSync(join(folder, name), 'utf8').replaceAll(/\r\n?/g, '\n').trim()).sort();
}

/** For packages that name this licence and ship no text of it. */
const MIT = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the
"Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish,
distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the
following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY
CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE
SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

const packages = linked(metadata());
const texts = new Map();
const rows = packages.map(({ name, version, license, authors, repository, manifest_path: manifest }) => {
  const shipped = textsOf(manifest);
  const own = shipped.length === 0 && /\bMIT\b/.test(license ?? '') ? [MIT] : shipped;
  for (const text of own) {
    // Copies that differ in line ends and indentation only are one text.
    const key = text.replaceAll(/\s+/g, ' ');
    texts.set(key, { text: texts.get(key)?.text ?? text, names: [...(texts.get(key)?.names ?? []), name] });
  }
  return `| ${name} | ${version} | ${license ?? 'see its text'} | ${authors.map((author) => author.replaceAll(/\s*<[^>]*>/g, '')).join(', ')} | ${repository ?? ''} |`;
});
const quoted = [...texts.values()].map(({ text, names }) => `## ${[...new Set(names)].join(', ')}\n\n\`\`\`\`text\n${text}\n\`\`\`\`\n`);
const content = `# Third-party notices

The addon contains these packages, each under the licence that it names. The texts that they ship follow; where a package ships none, the
licence is the standard text of that name, with the authors named here as its holders.

| package | version | licence | authors | source |
| --- | --- | --- | --- | --- |
${rows.join('\n')}

${quoted.join('\n')}`;

if (process.argv.includes('--check')) {
  if (readFileSync(target, 'utf8') !== content) throw new Error('THIRD-PARTY-NOTICES.md is not what the lock file gives: run `npm run notices`');
} else {
  writeFileSync(target, content);
}
