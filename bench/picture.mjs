// The picture of the README: `npm run picture`.
//
// A real session in Pi's terminal interface, in a clone of this repository, with the extension as it is built here. What the model says is
// scripted; all else on the screen is what Pi and the extension draw.

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freshPlace, PACKAGE, removePlace } from '../__test__/pi/host.ts';
import { startProvider } from '../__test__/pi/provider.ts';
import { startTerminal } from '../__test__/pi/terminal.ts';
import { toSvg } from './svg.mjs';

const REQUEST = 'Where are symbolic links refused?';

const fresh = freshPlace({});
const place = { ...fresh, project: join(fresh.home, 'pi-context-engine') };
execFileSync('git', ['clone', '--quiet', PACKAGE, place.project]);
execFileSync('git', ['checkout', '--quiet', '-B', 'main'], { cwd: place.project });
const provider = await startProvider();
provider.play([{ text: 'In `src/root`: each part of a path is opened without following a link.' }]);
const terminal = startTerminal({ place, providerUrl: provider.url });
try {
  await terminal.waitFor('mock-model');
  await terminal.waitUntil((screen) => !screen.includes('indexing'), 'The index did not become ready');
  await terminal.type(REQUEST);
  await terminal.waitFor('without following a link.');
  await terminal.waitFor('ctx ');
  await terminal.type('/context');
  await terminal.waitFor('escape closes');
  console.log(terminal.screen());
  // From the request on: what Pi says at its start is of this machine.
  const lines = terminal.styled().split('\n');
  const shown = lines.slice(lines.findIndex((line) => line.includes(REQUEST))).join('\n');
  writeFileSync(join(PACKAGE, 'docs/terminal.svg'), toSvg(shown, 'A question in the terminal of Pi, the answer, and what was quoted for it'));
} finally {
  terminal.close();
  await provider.close();
  removePlace(place);
}
