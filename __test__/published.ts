// The packages as a release publishes them: staged, completed by the same command, packed, and installed from a registry or a file.
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NapiCli } from '@napi-rs/cli';
import { pack } from '../release/smoke.mjs';
import { PACKAGE } from './pi/host.ts';
import type { Published } from './pi/registry.ts';

export const BINARY = readdirSync(PACKAGE).find((name) => name.startsWith('pi-context-engine.') && name.endsWith('.node')) ?? '';
/** This machine's, as packages are named. */
export const PLATFORM = BINARY.slice('pi-context-engine.'.length, -'.node'.length);
/** The binary as a release builds it, where `npm run test:portable` has. */
export const portable = join(PACKAGE, 'target/portable/out', BINARY);
const age = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
/** The one to pack: as a release builds it, unless the other was built since. */
export const newest = age(portable) > age(join(PACKAGE, BINARY)) ? portable : join(PACKAGE, BINARY);

/** Packs all of them into a folder; the main one is first. Only the binary for this machine is one. */
export async function publish(into: string): Promise<[Published & { files: string[] }, ...Published[]]> {
  const { archive } = pack(PACKAGE, into);
  execFileSync('tar', ['-xzf', archive, '-C', into]);
  const stage = join(into, 'stage');
  renameSync(join(into, 'package'), stage);
  cpSync(join(PACKAGE, 'npm'), join(stage, 'npm'), { recursive: true });
  const platforms = readdirSync(join(stage, 'npm'));
  for (const platform of platforms) {
    const file = join(stage, 'npm', platform, `pi-context-engine.${platform}.node`);
    if (platform === PLATFORM) cpSync(newest, file);
    else writeFileSync(file, `stands for the binary of ${platform}`);
  }
  await new NapiCli().prePublish({ cwd: stage, npmDir: 'npm', tagStyle: 'npm', ghRelease: false, skipOptionalPublish: true });
  const packed = (folder: string) => {
    const archives = join(into, 'archives');
    mkdirSync(archives, { recursive: true });
    return { manifest: JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')), ...pack(folder, archives) };
  };
  return [packed(stage), ...platforms.map((platform) => packed(join(stage, 'npm', platform)))];
}

/** Runs a program to its end. Asynchronously, as the servers that it asks are in this process. */
export async function run(
  program: string,
  args: string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<{ code: number | null; output: string }> {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const code = await new Promise<number | null>((ended, failed) => child.once('error', failed).once('close', ended));
  return { code, output };
}

/** An empty project with packages installed, of a home that knows one registry at most. */
export async function installInto(app: string, home: string, ...args: string[]): Promise<void> {
  mkdirSync(app);
  writeFileSync(join(app, 'package.json'), '{ "name": "app", "private": true }');
  const quiet = { npm_config_audit: 'false', npm_config_fund: 'false', npm_config_update_notifier: 'false' };
  const { code, output } = await run('npm', ['install', '--ignore-scripts', ...args], { cwd: app, env: { PATH: process.env.PATH, HOME: home, ...quiet } });
  if (code !== 0) throw new Error(output);
}
