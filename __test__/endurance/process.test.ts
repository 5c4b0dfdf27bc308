// Worker threads and processes that end in mid-work: an ordinary end each time, every promise settles, and the index is sound afterwards.
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { project } from '../fixtures.js';
import { has } from '../pi/tools.ts';
import { COUNTS } from './counts.js';
import { ADDON, ended, inspect, manyFiles, open, outcome, type Place, randomFrom, start } from './place.js';

async function expectWhole(place: Place, listed: number): Promise<void> {
  const handle = await open(place);
  expect(await handle.sync()).toMatchObject({ complete: true, listed });
  expect((await handle.retrieve({ text: 'what does task7 do?' })).messages[0]?.snippet?.path).toBe('src/f7.ts');
  await handle.close();
  if (has('sqlite3', '--version')) expect(inspect(place).integrity).toBe('ok');
}

test(`${COUNTS.workers} worker threads ended in mid-work`, async () => {
  const place = project(manyFiles(200));
  const script = `const { workerData, parentPort } = require('node:worker_threads');
    require(workerData.addon).openProject({ path: workerData.root, trusted: true, dataDirectory: workerData.data }).then((project) => {
      const calls = [project.sync({ force: true, onProgress() {} }), project.rebuild(), project.retrieve({ text: 'task7' }), project.outline('src/f1.ts')];
      for (const call of calls) call.catch(() => {});
      parentPort.postMessage('started');
    })`;
  const random = randomFrom(4);
  for (let round = 0; round < COUNTS.workers; round += 1) {
    const worker = new Worker(script, { eval: true, workerData: { ...place, addon: ADDON } });
    // Some end before they have begun.
    if (random() < 0.8) await new Promise((started) => worker.once('message', started));
    await new Promise((later) => setTimeout(later, random() * 40));
    await worker.terminate();
  }
  await expectWhole(place, 200);
});

test(`${COUNTS.exits} processes that exit in mid-index: code 0, and not a word`, async () => {
  const place = project(manyFiles(400));
  const random = randomFrom(5);
  for (let round = 0; round < COUNTS.exits; round += 1) {
    const calls = ['sync({ force: true, onProgress() {} })', 'rebuild()', "retrieve({ text: 'task7' })"].map((call) => `project.${call}.catch(() => {});`);
    // Half of them let go of their handle before, and some are still opening others.
    const close = random() < 0.5 ? 'project.close();' : 'openProject(place);';
    const child = start(place, `${calls.join(' ')} setTimeout(() => { ${close} process.exit(0); }, ${Math.round(random() * 120)});`);
    expect(await ended(child), `round ${round}`).toEqual({ code: 0, signal: null, output: '' });
  }
  await expectWhole(place, 400);
});

test('every promise settles, whatever is closed, aborted or late while it runs', async () => {
  const place = project(manyFiles(100));
  const codes = new Set<string | undefined>();
  for (let round = 0; round < 10; round += 1) {
    const handle = await open(place);
    const abort = new AbortController();
    const { signal } = abort;
    const deadlineMs = 1 + round;
    const calls = [
      handle.sync({ signal }),
      handle.rebuild({ deadlineMs }),
      handle.sync({ force: true, onProgress: () => abort.abort() }),
      ...['task1', 'task2'].flatMap((text) => [handle.retrieve({ text, signal }), handle.search({ text, deadlineMs }), handle.retrieve({ text, deadlineMs })]),
      handle.recheck({ text: 'x', snippets: [], signal }),
      handle.read({ path: 'src/f1.ts' }),
      handle.outline('src/f2.ts'),
      handle.definitions('task3'),
      handle.manifests(3),
      handle.status(),
    ];
    if (round % 3 === 1) abort.abort();
    if (round % 3 === 2) void handle.close();
    for (const { code } of await Promise.all(calls.map((call) => outcome<unknown>(call)))) codes.add(code);
    await handle.close();
  }
  for (const code of codes) expect([undefined, 'E_CANCELLED', 'E_CLOSED']).toContain(code);
  await expectWhole(place, 100);
});
