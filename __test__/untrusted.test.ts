// Without trust the engine touches nothing of the project: seen from the operating system.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freshPlace, PACKAGE, removePlace } from './pi/host.ts';
import { has } from './pi/tools.ts';

const SCRIPT = `
const { openProject } = require(process.argv[1]);
(async () => {
  const project = await openProject({ path: process.argv[2], trusted: process.argv[3] === 'true', dataDirectory: process.argv[4] });
  if (process.argv[3] === 'true') await project.sync();
  const { messages, manifest } = await project.retrieve({ text: 'what does secretPlan do?' });
  console.log(JSON.stringify({ status: (await project.status()).status, messages: messages.length, snippets: manifest.projectSnippets.length, revision: manifest.projectRevision !== undefined }));
  await project.close();
})();`;

test.skipIf(process.platform !== 'linux' || !has('strace', '-V'))('no path of an untrusted project reaches the operating system', () => {
  const place = freshPlace({ 'plan.ts': 'export function secretPlan(): number {\n  return 42;\n}\n' });
  try {
    const trace = (trusted: boolean) =>
      spawnSync(
        'strace',
        ['-f', '-qq', '-e', 'trace=%file', process.execPath, '-e', SCRIPT, join(PACKAGE, 'index.js'), place.project, String(trusted), place.dataHome],
        {
          cwd: '/',
          encoding: 'utf8',
          maxBuffer: 64 * 1024 * 1024,
        },
      );
    // The command line itself names the project.
    const touched = (stderr: string) => stderr.split('\n').filter((line) => line.includes(place.project) && !line.includes('execve('));

    const without = trace(false);
    expect(JSON.parse(without.stdout)).toEqual({ status: 'untrusted', messages: 0, snippets: 0, revision: false });
    expect(touched(without.stderr)).toEqual([]);
    expect(existsSync(place.dataHome)).toBe(false);

    const withTrust = trace(true);
    expect(JSON.parse(withTrust.stdout)).toMatchObject({ status: 'ready', messages: 1 });
    expect(touched(withTrust.stderr).length).toBeGreaterThan(0);
  } finally {
    removePlace(place);
  }
});
