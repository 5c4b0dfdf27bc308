// A long life: two processes ask, while files are edited, made, renamed and deleted, and branches are switched. What a process and the index take
// stays where it was once they are warm, and in the end the answers are those of a fresh index.
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import type { PromptMessage } from '../../index.js';
import { git, repository, scratch, write } from '../fixtures.js';
import { COUNTS } from './counts.js';
import { expectProven, live, open, type Place, program, randomFrom, sizesOf, sourceOf, texts } from './place.js';

const FILES = 150;
const ask = (at: number) => `what does task${at} do?`;

/** A process that lives as a session of Pi does: for each prompt it syncs, answers, proves again what it quoted before, and records the usage. */
const SESSION = `let quoted = [];
  const usage = () => (gc(), { rss: process.memoryUsage().rss / 1e6, handles: require('node:fs').readdirSync('/proc/self/fd').length });
  require('node:readline').createInterface({ input: process.stdin }).on('line', async (text) => {
    await project.sync({ deadlineMs: 5000 });
    const again = await project.recheck({ text, snippets: quoted });
    const { messages, manifest } = await project.retrieve({ text });
    quoted = messages.map(({ snippet }) => snippet);
    await project.recordUsage(manifest.id, { inputTokens: 100 });
    console.log(JSON.stringify({ mode: manifest.mode, reason: manifest.modeReason, messages: [...again.messages, ...messages], ...usage() }));
  }).on('close', async () => { await project.close(); process.exit(0); });`;

interface Said {
  mode: string;
  reason?: string;
  messages: PromptMessage[];
  rss: number;
  handles: number;
}

function session(place: Place): { child: ChildProcess; ask(text: string): Promise<Said> } {
  const child = spawn(process.execPath, ['--expose-gc', ...program(place, SESSION)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    async ask(text) {
      child.stdin.write(`${text}\n`);
      return JSON.parse((await lines.next()).value as string) as Said;
    },
  };
}

const middle = (numbers: number[]) => [...numbers].sort((left, right) => left - right)[Math.floor(numbers.length / 2)] as number;

test.skipIf(process.platform !== 'linux')(
  `${COUNTS.prompts} prompts and ${COUNTS.changes} changes of files, from two processes`,
  { timeout: 3_600_000 },
  async () => {
    const place = repository(Object.fromEntries(Array.from({ length: FILES }, (_, at) => [`src/f${at}.ts`, sourceOf(`task${at}`)])));
    const random = randomFrom(6);
    const number = () => Math.floor(random() * FILES);
    const path = (at: number, moved = false) => join(place.root, moved ? `lib/g${at}.ts` : `src/f${at}.ts`);
    const done = { edited: 0, made: 0, renamed: 0, deleted: 0, switched: 0 };
    const change = () => {
      const at = number();
      const [here, there] = [path(at), path(at, true)];
      const kind = random();
      if (kind < 0.04) {
        git(place.root, 'add', '-A');
        // One commit for each branch: a history that grows is remembered, and would be told from a leak by nothing.
        git(place.root, 'commit', '-q', '--amend', '--allow-empty', '-m', 'now');
        git(place.root, 'checkout', '-q', '-B', `branch${done.switched % 2}`, ...(done.switched < 2 ? [] : [`branch${done.switched % 2}`]));
        done.switched += 1;
      } else if (kind < 0.12 && existsSync(here)) {
        write(place.root, { 'lib/.keep': '' });
        renameSync(here, there);
        done.renamed += 1;
      } else if (kind < 0.22 && existsSync(there)) {
        rmSync(there);
        done.deleted += 1;
      } else {
        done[existsSync(here) ? 'edited' : 'made'] += 1;
        write(place.root, { [`src/f${at}.ts`]: sourceOf(`task${at}`, 16 + Math.floor(random() * 8)) });
      }
    };
    const sessions = [session(place), session(place)];
    const samples: { rss: number; handles: number; database: number; log: number }[] = [];
    let changes = 0;
    for (let prompt = 0; prompt < COUNTS.prompts; prompt += 1) {
      for (; changes < (COUNTS.changes * (prompt + 1)) / COUNTS.prompts; changes += 1) change();
      const at = number();
      // Now and then both ask at once.
      const askers = prompt % 5 === 0 ? sessions : [sessions[prompt % 2] as (typeof sessions)[number]];
      for (const { mode, reason, messages, rss, handles } of await Promise.all(askers.map((asker) => asker.ask(ask(at))))) {
        expect(mode, reason).toBe('managed');
        expectProven(messages, live(place));
        samples.push({ rss, handles, ...sizesOf(place) });
      }
    }
    for (const { child } of sessions) child.stdin?.end();
    await Promise.all(sessions.map(({ child }) => new Promise((gone) => child.once('close', gone))));

    const half = samples.slice(samples.length / 4, samples.length / 2);
    const last = samples.slice((samples.length * 3) / 4);
    const of = (part: typeof samples, key: keyof (typeof samples)[number]) => middle(part.map((sample) => sample[key]));
    const keys = ['rss', 'handles', 'database', 'log'] as const;
    console.log(JSON.stringify({ done, second: keys.map((key) => of(half, key)), last: keys.map((key) => of(last, key)) }));
    expect(of(last, 'handles')).toBe(of(half, 'handles'));
    expect(of(last, 'rss')).toBeLessThan(of(half, 'rss') + 25);
    expect(of(last, 'database')).toBeLessThan(of(half, 'database') * 1.5);
    expect(Math.max(...samples.map(({ log }) => log))).toBeLessThan(8_000_000);
    expect(
      readdirSync(join(place.data, 'projects'))
        .map((name) => name.replace(/^[0-9a-f]+/, ''))
        .sort(),
    ).toEqual(['.db', '.db.lock']);

    const [old, fresh] = await Promise.all([place, { ...place, data: join(scratch(), 'data') }].map(open));
    for (const handle of [old, fresh]) expect(await handle?.sync()).toMatchObject({ complete: true });
    for (let at = 0; at < FILES; at += 5) {
      const [left, right] = await Promise.all([old, fresh].map((handle) => handle?.retrieve({ text: ask(at) })));
      expect(texts(left?.messages ?? []), ask(at)).toEqual(texts(right?.messages ?? []));
    }
    await Promise.all([old?.close(), fresh?.close()]);
  },
);
