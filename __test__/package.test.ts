// The packages as npm would publish them: installed without scripts, away from the checkout, they serve Node, a shell and the real Pi.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshPlace, PACKAGE, type Place, piCommand, removePlace, runPi } from './pi/host.ts';
import { startProvider, textOf } from './pi/provider.ts';
import { type Published, type Registry, startRegistry } from './pi/registry.ts';
import { BINARY, installInto, PLATFORM, publish, run } from './published.ts';

const SOURCE = 'export function refuseLink(path: string): boolean {\n  return path.endsWith(".lnk");\n}\n';

let place: Place;
let app: string;
let installed: string;
let packages: [Published & { files: string[] }, ...Published[]];
let registry: Registry;

beforeAll(async () => {
  place = freshPlace({ 'src/link.ts': SOURCE });
  app = join(place.root, 'app');
  packages = await publish(place.root);
  registry = await startRegistry(packages);
  writeFileSync(join(place.home, '.npmrc'), `registry=${registry.url}\n`);
  await installInto(app, place.home, 'pi-context-engine');
  installed = join(app, 'node_modules/pi-context-engine');
}, 300_000);
afterAll(async () => {
  await registry?.close();
  removePlace(place);
});

const node = (...args: string[]) =>
  spawnSync(process.execPath, args, { cwd: app, encoding: 'utf8', env: { PATH: process.env.PATH, HOME: place.home, XDG_DATA_HOME: place.dataHome } });

const ANSWER = `(async () => {
  const project = await openProject({ path: ${'process.argv[1]'}, trusted: true });
  await project.sync();
  const { messages } = await project.retrieve({ text: 'what does refuseLink do?' });
  await project.close();
  console.log(messages.map(({ snippet }) => snippet.path).join());
})();`;

test('the package holds what it needs to run and to be read, and nothing else', () => {
  const packed = packages[0].files;
  const folders = [...new Set(packed.map((path) => (path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : path)))].sort();
  expect(folders).toEqual([
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'THIRD-PARTY-NOTICES.md',
    'cli/dist',
    'docs',
    'docs/decisions',
    'extension',
    'extension/commands',
    'index.d.ts',
    'index.js',
    'package.json',
    'schema',
  ]);
  expect(packed.filter((path) => path.startsWith('cli/')).sort()).toEqual(
    readdirSync(join(PACKAGE, 'cli'))
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `cli/dist/${name.replace('.ts', '.js')}`),
  );
  expect(existsSync(join(installed, BINARY))).toBe(false);
});

test('require and import find the binary of the platform package and answer', () => {
  expect(node('-e', `const { openProject } = require('pi-context-engine'); ${ANSWER}`, place.project)).toMatchObject({ stdout: 'src/link.ts\n', stderr: '' });
  expect(node('--input-type=module', '-e', `import { openProject } from 'pi-context-engine'; ${ANSWER}`, place.project)).toMatchObject({
    stdout: 'src/link.ts\n',
    stderr: '',
  });
});

test('the command is on the path of npm scripts', () => {
  const command = join(app, 'node_modules/.bin/pi-context-engine');
  const environment = { PATH: process.env.PATH, HOME: place.home, XDG_DATA_HOME: place.dataHome };
  const call = (...args: string[]) => spawnSync(command, args, { cwd: app, encoding: 'utf8', env: environment });
  expect(call('--help')).toMatchObject({ status: 0, stderr: '', stdout: expect.stringMatching(/^Usage: pi-context-engine /) });
  expect(call(place.project, 'what does refuseLink do?').stdout).toContain('1. src/link.ts:1-3\n');
});

test('of all platform packages npm takes the one of this machine', () => {
  expect(packages).toHaveLength(9);
  const { optionalDependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  expect(optionalDependencies).toEqual(Object.fromEntries(packages.slice(1).map(({ manifest }) => [manifest.name, manifest.version])));
  const names = readdirSync(join(app, 'node_modules')).filter((name) => !name.startsWith('.'));
  expect(names).toEqual(['pi-context-engine', `pi-context-engine-${PLATFORM}`]);
});

async function answersInPi(options: { extension: string | null; settings?: Record<string, unknown> }): Promise<void> {
  const provider = await startProvider();
  try {
    const pi = await runPi({ place, providerUrl: provider.url, mode: 'print', prompts: ['What does refuseLink do?'], ...options });
    expect(pi).toMatchObject({ code: 0, signal: null, stdout: 'done\n', stderr: '' });
    expect(provider.bodies.map((body) => body.map(({ role }) => role))).toEqual([['system', 'user', 'user']]);
    expect(textOf(provider.bodies[0]?.[1])).toContain('Path: "src/link.ts"\n');
  } finally {
    await provider.close();
  }
}

test('the real Pi takes the installed package as its extension', () => answersInPi({ extension: realpathSync(installed) }));

test.each([
  ['from the registry', () => 'npm:pi-context-engine'],
  ['from a packed file', () => `npm:pi-context-engine@file:${packages[0].archive}`],
])('pi install %s brings the package and its binary', async (_, source) => {
  const { command, env } = piCommand({ place, providerUrl: registry.url, mode: 'tui', extension: null });
  const [program = '', ...args] = command;
  const { code, output } = await run(program, [...args, 'install', source()], { cwd: place.project, env: { ...env, PI_OFFLINE: undefined } });
  expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining('Installed') });
  const { packages: listed } = JSON.parse(readFileSync(join(place.agentDir, 'settings.json'), 'utf8'));
  expect(listed).toEqual([source()]);
  await answersInPi({ extension: null, settings: { packages: listed } });
});
