// The benchmark's `serve` form: one JSON query per line in, one JSON answer per line out. `node serve.mjs <repository> <state folder>`.

import { createInterface } from 'node:readline';
import addon from '../index.js';

const [repository, state] = process.argv.slice(2);
const project = await addon.openProject({ path: repository, trusted: true, trustSource: 'command line', dataDirectory: state });
const report = await project.sync();
if (!report.complete) throw new Error(`the index is not complete: ${report.incompleteReason}`);

for await (const line of createInterface({ input: process.stdin })) {
  const { id, query, k } = JSON.parse(line);
  const { messages } = await project.retrieve({ text: query, maxResults: k ?? 8 });
  const results = messages.map(({ snippet }) => ({ path: snippet.path, start: snippet.startLine, end: snippet.endLine, score: snippet.score }));
  process.stdout.write(`${JSON.stringify({ id, results })}\n`);
}
await project.close();
