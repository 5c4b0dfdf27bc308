// A TypeScript project of any size, the same for the same arguments.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const WORDS =
  'account amount archive batch buffer cache channel client column command config cursor device domain driver event field filter folder format frame handle header index invoice job label ledger limit list lock message metric module node option order owner packet page parser payment period plan policy pool price query queue rate record region report request result role route rule schema segment session signal source state stream table task tenant token total trace user value vector version view window worker'.split(
    ' ',
  );

/** A small linear congruential generator: the tree must not depend on the run. */
function random(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const capital = (word) => word[0].toUpperCase() + word.slice(1);

/** The name of the one class of file `index`: unique in the tree. */
export const className = (index) => `${capital(WORDS[index % WORDS.length])}${capital(WORDS[(index * 7) % WORDS.length])}Service${index}`;
/** Where file `index` stands. */
export const filePath = (index) => `src/${WORDS[index % 50]}/${WORDS[(index * 3) % WORDS.length]}-${index}.ts`;

/** So many different requests for what a tree of `count` files holds: by a symbol, by a path and in words, by turns. */
export function requestsFor(count, requests) {
  return Array.from({ length: requests }, (_, query) => {
    const index = (query * 37) % count;
    const words = className(index)
      .replace(/Service\d+$/, '')
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase();
    return [`where is ${className(index)} defined?`, `what does ${filePath(index)} do`, `how does the ${words} service find its ledger policy`][query % 3];
  });
}

function source(index) {
  const pick = random(index + 1);
  const word = () => WORDS[pick(WORDS.length)];
  const lines = [`import { ${capital(word())} } from '../shared/${word()}'`, '', `/** Keeps the ${word()} of each ${word()} for the ${word()}. */`];
  lines.push(`export class ${className(index)} {`);
  for (let method = 0; method < 6 + pick(6); method++) {
    const name = `${word()}${capital(word())}${capital(word())}`;
    lines.push(`  /** Finds the ${word()} whose ${word()} has a ${word()}. */`, `  ${name}(${word()}: string, limit = ${pick(100)}): number {`);
    for (let statement = 0; statement < 4 + pick(8); statement++) {
      lines.push(`    const ${word()}${statement} = this.${word()}${capital(word())}(${word()}Of(limit), '${word()} ${word()}')`);
    }
    lines.push(`    return limit * ${pick(50)}`, '  }', '');
  }
  lines.push('}', '', `export const ${word()}${capital(word())}Limit${index} = ${pick(10000)}`, '');
  return lines.join('\n');
}

/** Writes `count` files below `folder`. */
export function makeTree(folder, count) {
  for (let index = 0; index < count; index++) {
    const path = join(folder, filePath(index));
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, source(index));
  }
}
