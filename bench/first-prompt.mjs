// First prompts in the real Pi: `npm run bench:first-prompt -- [files ...]`.
//
// Opens Pi in a generated tree that it has never seen, bounds raised, with the 150 ms that a prompt may be delayed, and prompts at once. Printed are the time
// until the request reaches the model server beside that without the engine, and whether the manifest says that the index was complete; then prompts go on
// until it is.

import { freshPlace, removePlace, report, startRpc } from '../__test__/pi/host.ts';
import { startProvider } from '../__test__/pi/provider.ts';
import { className, filePath, makeTree } from './tree.mjs';

const SETTINGS = { project: { maxFiles: 1_000_000, maxTotalBytes: 10_000_000_000, maxDirectories: 1_000_000 } };
const PROMPTS = 4;
const MOST_PROMPTS = 400;

async function session(place, count, contextEngine) {
  const provider = await startProvider();
  const pi = startRpc({ place, providerUrl: provider.url, settings: { contextEngine }, maxDelayMs: 150 });
  const prompts = [];
  try {
    // Pi itself takes a second to start.
    await pi.request({ type: 'get_state' });
    const started = performance.now();
    for (let at = 0; at < MOST_PROMPTS; at++) {
      const index = (at * 37) % count;
      let reached;
      provider.play([{ before: () => (reached = performance.now()), text: 'Yes.' }]);
      const begun = performance.now();
      await pi.prompt(at % 2 === 0 ? `what does ${filePath(index)} do` : `where is ${className(index)} defined?`);
      const prompt = { waited: Math.round(reached - begun), at: Math.round(begun - started) };
      prompts.push(prompt);
      if (contextEngine.mode === 'off') {
        if (at + 1 === PROMPTS) break;
        continue;
      }
      const manifest = await report(pi, '/context manifest');
      const { completeness, timings } = manifest;
      Object.assign(prompt, { completeness, total: timings.total, found: manifest.included.some(({ path }) => path === filePath(index)) });
      if (completeness.complete) break;
      if (at + 1 >= PROMPTS) await new Promise((next) => setTimeout(next, 1_000));
    }
    return prompts;
  } finally {
    await pi.close();
    await provider.close();
  }
}

for (const count of (process.argv.length > 2 ? process.argv.slice(2) : ['10000', '100000']).map(Number)) {
  const place = freshPlace({});
  try {
    makeTree(place.project, count);
    const off = await session(place, count, { mode: 'off' });
    const on = await session(place, count, SETTINGS);
    console.log(`${count} files, without the engine:`, off.map(({ waited }) => waited).join(', '), 'ms until the model server heard');
    for (const prompt of [...on.slice(0, PROMPTS), on.at(-1)]) console.log(JSON.stringify(prompt));
  } finally {
    removePlace(place);
  }
}
