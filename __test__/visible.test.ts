// What a project's names and errors may do to a terminal: nothing.
import { expect, test } from 'vitest';
import { visible } from '../extension/present.ts';

test('control, direction and invisible characters are shown as escapes, all other text as it is', () => {
  expect(visible('src/\u001b[31mred\n[END]\u202e\u200b\u0085\u2028.ts')).toBe('src/\\u{1b}[31mred\\u{a}[END]\\u{202e}\\u{200b}\\u{85}\\u{2028}.ts');
  expect(visible('größe/日本.ts')).toBe('größe/日本.ts');
});
