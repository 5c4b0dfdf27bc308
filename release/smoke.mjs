// Packs this package and one platform's, installs both without scripts or network into an empty folder, and has the example for hosts answer there:
// `node release/smoke.mjs PLATFORM`.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const shell = process.platform === 'win32';

function npm(cwd, ...args) {
  const quiet = { npm_config_audit: 'false', npm_config_fund: 'false', npm_config_update_notifier: 'false' };
  return execFileSync('npm', args, { cwd, encoding: 'utf8', shell, env: { ...process.env, ...quiet } });
}

/** Packs a folder as npm would publish it; the archive and the names in it. */
export function pack(folder, into) {
  const [made] = JSON.parse(npm(folder, 'pack', '--ignore-scripts', '--json', '--pack-destination', into));
  return { archive: join(into, made.filename), files: made.files.map(({ path }) => path).sort() };
}

/** Packs the package and that of a platform with a binary in it. */
export function packBoth(platform, binary, into) {
  const folder = join(into, platform);
  cpSync(join(root, 'npm', platform), folder, { recursive: true });
  cpSync(binary, join(folder, `pi-context-engine.${platform}.node`));
  return [pack(root, into), pack(folder, into)];
}

/** An empty project with packed packages installed. */
export function install(app, archives) {
  mkdirSync(app, { recursive: true });
  if (!existsSync(join(app, 'package.json'))) writeFileSync(join(app, 'package.json'), '{ "name": "app", "private": true }');
  npm(app, 'install', '--ignore-scripts', '--offline', ...archives);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const platform = process.argv[2];
  const place = mkdtempSync(join(tmpdir(), 'pi-context-engine-'));
  try {
    const packed = packBoth(platform, join(root, `pi-context-engine.${platform}.node`), place);
    const app = join(place, 'app');
    install(
      app,
      packed.map(({ archive }) => archive),
    );
    cpSync(join(root, 'examples/hosts'), app, { recursive: true });
    const said = execFileSync(process.execPath, ['script.mjs', app, 'what does the worker do with a request?'], { cwd: app, encoding: 'utf8' });
    if (!said.includes('worker.mjs')) throw new Error(`The example did not find its own file:\n${said}`);
    console.log(`${platform} on Node ${process.version}: installed without scripts, answers.`);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}
