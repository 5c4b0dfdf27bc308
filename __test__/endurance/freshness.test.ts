// Files that change while they are being quoted: each quotation is one state of its file, whole, with the hash of that state.
import { spawn } from 'node:child_process';
import { renameSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { project, repository, sha256, write } from '../fixtures.js';
import { COUNTS } from './counts.js';
import { ended, expectProven, live, open, outcome } from './place.js';

const generation = (number: number) =>
  `/** Moves. */\nexport function moving(): number {\n${Array.from({ length: 20 }, (_, at) => `  note(${at}, "generation ${number}");\n`).join('')}  return ${number};\n}\n`;

test(`${COUNTS.replacements} replacements while prompts run: each quotation is one generation's lines with its hash`, async () => {
  const place = repository({ 'src/moving.ts': generation(0), 'src/other.ts': 'export const other = 1;\n' });
  const known = new Map<string, string>();
  for (let number = 0; number <= COUNTS.replacements; number += 1) known.set(sha256(generation(number)), generation(number));
  // Most are replaced by a rename; every tenth is taken away before, so that the file is missing for a moment.
  const script = `const fs = require('node:fs'); const [file, count] = process.argv.slice(1); const generation = ${generation.toString()};
    for (let number = 1; number <= count; number += 1) {
      fs.writeFileSync(file + '.tmp', generation(number)); if (number % 10 === 0) fs.rmSync(file); fs.renameSync(file + '.tmp', file);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, number % 5);
    }`;
  const handle = await open(place);
  await handle.sync();
  const writer = spawn(process.execPath, ['-e', script, join(place.root, 'src/moving.ts'), String(COUNTS.replacements)], { stdio: ['ignore', 'pipe', 'pipe'] });
  let running = true;
  const end = ended(writer).finally(() => {
    running = false;
  });
  const seen = new Set<string>();
  let prompts = 0;
  const textOf = (_: string, hash: string) => known.get(hash);
  let snippets: { snippetId: string; path: string; hash: string; startLine: number; endLine: number }[] = [];
  while (running) {
    const { messages, manifest } = await handle.retrieve({ text: 'what does moving return?' });
    expect(manifest.mode, manifest.modeReason).toBe('managed');
    expectProven(messages, textOf);
    const again = await handle.recheck({ text: 'what does moving return?', snippets });
    expectProven(again.messages, textOf);
    snippets = messages.flatMap(({ snippet }) => (snippet?.path === 'src/moving.ts' ? [snippet] : []));
    for (const { hash } of snippets) seen.add(hash);
    const { value: read } = await outcome(handle.read({ path: 'src/moving.ts' }));
    if (read) expect(`${read.text}\n`).toBe(known.get(read.hash));
    if (++prompts % 5 === 0) await handle.sync();
  }
  expect(await end).toEqual({ code: 0, signal: null, output: '' });
  expect(seen.size).toBeGreaterThan(prompts / 4);
  await handle.sync();
  const { messages } = await handle.retrieve({ text: 'what does moving return?' });
  expect(messages.map(({ snippet }) => snippet?.hash)).toEqual([sha256(generation(COUNTS.replacements))]);
  await handle.close();
});

test('of the same size, with the times that it had before: the new text, also after a sync, also in the place of the old file', async () => {
  const place = project({ 'src/moving.ts': generation(1_000_000) });
  const file = join(place.root, 'src/moving.ts');
  const handle = await open(place);
  await handle.sync();
  const past = new Date(1_700_000_000_000);
  for (let number = 1_000_000; number < 1_000_000 + COUNTS.replacements / 10; number += 1) {
    if (number % 2) writeFileSync(file, generation(number));
    else {
      writeFileSync(`${file}.tmp`, generation(number));
      renameSync(`${file}.tmp`, file);
    }
    utimesSync(file, past, past);
    // Without, before and after a sync.
    if (number % 3 === 0) await handle.sync();
    const { messages } = await handle.retrieve({ text: 'what does moving return?' });
    expect(messages).toHaveLength(1);
    expect(messages[0]?.text).toContain(`return ${number};`);
    expectProven(messages, live(place));
  }
  await handle.close();
});

test('what comes and goes between two prompts is quoted only while it is there', async () => {
  const place = project({ 'src/other.ts': 'export const other = 1;\n' });
  const handle = await open(place);
  for (let round = 0; round < COUNTS.replacements / 10; round += 1) {
    write(place.root, { 'src/moving.ts': generation(round) });
    await handle.sync();
    renameSync(join(place.root, 'src/moving.ts'), join(place.root, `src/moved${round % 2}.ts`));
    const early = await handle.retrieve({ text: 'what does moving return?' });
    expectProven(early.messages, live(place));
    await handle.sync();
    const { messages } = await handle.retrieve({ text: 'what does moving return?' });
    expect(messages.map(({ snippet }) => snippet?.path)).toContain(`src/moved${round % 2}.ts`);
    expectProven(messages, live(place));
  }
  await handle.close();
});
