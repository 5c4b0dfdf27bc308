// The schema and the README's table are made from the table in the code. `UPDATE_EXPECTED=1` writes them.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { settingsSchema, settingsTable } from '../extension/settings-docs.ts';
import { TABLE } from '../extension/settings-table.ts';
import { PACKAGE } from './pi/host.ts';

const update = process.env.UPDATE_EXPECTED === '1';
const read = (...path: string[]) => readFileSync(join(PACKAGE, ...path), 'utf8');

test('the schema in the package is that of the table', () => {
  const path = join(PACKAGE, 'schema/settings.schema.json');
  const made = `${JSON.stringify(settingsSchema(), null, 2)}\n`;
  if (update) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, made);
  }
  expect(JSON.parse(read('schema/settings.schema.json'))).toEqual(JSON.parse(made));
});

test('the table in the README is that of the code', () => {
  const parts = read('README.md').split(/(<!-- settings -->\n\n|\n\n<!-- \/settings -->)/);
  expect(parts).toHaveLength(5);
  if (update) writeFileSync(join(PACKAGE, 'README.md'), [...parts.slice(0, 2), settingsTable(), ...parts.slice(3)].join(''));
  else expect(parts[2]).toBe(settingsTable());
});

test('the defaults of bounds are those of the core', () => {
  const limits = read('src/limits.rs');
  const inCore = (name: string) => Number(new RegExp(`\\b${name}(?:: usize =|:) ([\\d_]+)[,;]`).exec(limits)?.[1]?.replaceAll('_', ''));
  expect(TABLE['project.maxFiles'].default).toBe(inCore('max_files'));
  expect(TABLE['project.maxFileBytes'].default).toBe(inCore('max_file_bytes'));
  expect(TABLE['project.maxTotalBytes'].default).toBe(inCore('max_total_bytes'));
  expect(TABLE['project.maxResults'].default).toBe(inCore('MAX_RESULTS'));
  expect(TABLE['context.maxProjectTokens'].default).toBe(inCore('MAX_PROJECT_TOKENS'));
});
