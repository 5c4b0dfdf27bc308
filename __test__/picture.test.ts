// The picture of the README shows a terminal's text, place and colours, and nothing of a screen can leave its text.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toSvg } from '../bench/svg.mjs';
import { PACKAGE } from './pi/host.ts';

/** What is drawn: each text with where it stands and how it looks. */
const drawn = (screen: string) =>
  [...toSvg(screen, 'A <title>').matchAll(/<text x="([\d.]+)" y="(\d+)" textLength="[\d.]+"([^>]*)>([^<]*)<\/text>/g)].map((found) => found.slice(1));

test('text stands where it stood, in its colours', () => {
  expect(drawn('a \x1b[1;31mred\x1b[0m\n\x1b[38;5;16mcube\x1b[39m \x1b[38;2;1;2;3mtrue\x1b[m <&>\n\n')).toEqual([
    ['14', '27', '', 'a '],
    ['30.8', '27', ' fill="#e06c75" font-weight="bold"', 'red'],
    ['14', '45', ' fill="#000000"', 'cube'],
    ['56', '45', ' fill="#010203"', 'true'],
    ['89.6', '45', '', ' &lt;&amp;&gt;'],
  ]);
  expect(toSvg('\x1b[7mback\x1b[27m', 'A <title>')).toContain(
    '<rect x="14" y="14" width="33.6" height="18" fill="#d7dae0"/><text x="14" y="27" textLength="33.6" fill="#1e2127">back</text>',
  );
});

test('no screen breaks out of its texts', () => {
  const tokens = fc.constantFrom('<', '>', '&', '"', '\n', ' ', 'x', '\x1b[1m', '\x1b[999m', '\x1b[38;5m', '\x1b[38;5;300m', '\x1b[0m', '\x1b[K', '日');
  fc.assert(
    fc.property(fc.array(tokens, { maxLength: 40 }), (parts) => {
      const tags: string[] = toSvg(parts.join(''), parts.join('')).match(/<\/?\w+/g) ?? [];
      expect(new Set(tags)).toEqual(
        new Set(['<svg', '<title', '</title', '<rect', '<g', ...(tags.includes('<text') ? ['<text', '</text'] : []), '</g', '</svg']),
      );
    }),
  );
});

test('the picture in the repository is of an answer', () => {
  const svg = readFileSync(join(PACKAGE, 'docs/terminal.svg'), 'utf8');
  for (const shown of ['Where are symbolic links refused?', '/context', '8 snippets, ', 'src/root/mod.rs:', 'ctx ']) expect(svg).toContain(shown);
});
