// The benchmark's `serve` form: one JSON query per line in, one JSON answer per line out. `node serve.mjs <repository> <state folder> [model folder] [costs file]`.
//
// With the folder of a static model closeness in meaning is on; what its vectors cost goes to the end of the costs file, one JSON line for each repository.

import { appendFileSync } from 'node:fs';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import addon from '../index.js';

const [repository, state, folder, costs] = process.argv.slice(2);
const semantic = folder && { provider: 'static', model: basename(folder), folder };
const project = await addon.openProject({ path: repository, trusted: true, trustSource: 'command line', dataDirectory: state, semantic });
const report = await project.sync();
if (!report.complete) throw new Error(`the index is not complete: ${report.incompleteReason}`);
if (semantic) {
  const { store } = await project.status();
  const { fresh, embedded, totalMs, reason } = await project.updateVectors();
  if (!fresh) throw new Error(`the vectors are not complete: ${reason}`);
  const bytes = (await project.status()).store.bytes - store.bytes;
  if (costs) appendFileSync(costs, `${JSON.stringify({ repo: basename(repository), syncMs: report.timings.total, embedded, embedMs: totalMs, bytes })}\n`);
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, query, k } = JSON.parse(line);
  const { messages } = await project.retrieve({ text: query, maxResults: k ?? 8 });
  const results = messages.map(({ snippet }) => ({ path: snippet.path, start: snippet.startLine, end: snippet.endLine, score: snippet.score }));
  process.stdout.write(`${JSON.stringify({ id, results })}\n`);
}
await project.close();
