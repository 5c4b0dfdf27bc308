// What the documents point to is there.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { PACKAGE } from './pi/host.ts';

// Licences of others link as their own repositories do.
const isTheWordOfOthers = (name: string) => name === 'THIRD-PARTY-NOTICES.md';
const documents = ['.', 'docs', 'docs/decisions', 'fuzz'].flatMap((folder) =>
  readdirSync(join(PACKAGE, folder))
    .filter((name) => name.endsWith('.md') && !isTheWordOfOthers(name))
    .map((name) => join(folder, name)),
);
const textOf = (document: string) => readFileSync(join(PACKAGE, document), 'utf8');

/** The anchors of a document's headings, as hosts of repositories make them. */
const anchors = (document: string) =>
  [...textOf(document).matchAll(/^#+ +(.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

test.each(documents)('%s: every source and test that it names exists, and every relative link leads somewhere', (document) => {
  const text = textOf(document);
  // What a reader is told to make has another name.
  const named = [...text.matchAll(/`((?:src|tests|__test__|extension|cli|bench|examples|fuzz|docs)\/[\w./-]+)`/g)]
    .map(([, path = '']) => path)
    .filter((path) => !path.includes('/toy'));
  // A room is named by its folder, or by its file without the ending.
  const missing = named.filter((path) => !['', '.rs', '.md'].some((end) => existsSync(join(PACKAGE, path + end))));
  const links = [...text.matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]*))?\)/g)];
  const dead = links.filter(([, path = '', anchor]) => {
    const target = path ? join(dirname(document), path) : document;
    return !existsSync(join(PACKAGE, target)) || (anchor !== undefined && !anchors(target).includes(anchor));
  });
  expect({ missing, dead: dead.map(([link]) => link) }).toEqual({ missing: [], dead: [] });
});

test('the documents do name tests', () => {
  expect(documents.join('').length).toBeGreaterThan(50);
  expect(textOf('docs/security.md').match(/`__test__\/[\w.-]+\.ts`/g)?.length).toBeGreaterThan(10);
});

test('our figures in the README and in the comparison are those of the retrieval page', () => {
  const row = (document: string, start: string) =>
    textOf(document)
      .split('\n')
      .find((line) => line.startsWith(`| ${start} `))
      ?.split('|')
      .slice(2, -1)
      .map((cell) => cell.trim());
  const [recall, first, rank, lines, , tokens] = row('docs/retrieval.md', 'changes (267), trees without history') ?? [];
  expect(recall).toMatch(/^0\.\d{3}$/);
  expect(row('README.md', 'pi-context-engine')).toEqual([recall, first, lines, tokens]);
  expect(row('docs/comparison.md', 'pi-context-engine, trees without history')).toEqual([recall, first, rank, lines, tokens]);
  const names = row('docs/retrieval.md', 'symbols (115), trees without history') ?? [];
  expect(row('docs/comparison.md', 'pi-context-engine for names')).toEqual(names.slice(1));
  const files = row('docs/retrieval.md', 'files (68), trees without history') ?? [];
  expect(row('docs/comparison.md', 'pi-context-engine for files')).toEqual([files[1], files[2], files[5]]);
});
