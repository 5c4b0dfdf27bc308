// Writes the package folders below `npm/`, one for each target that `package.json` names: `npm run platforms`.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NapiCli } from '@napi-rs/cli';

const root = resolve(import.meta.dirname ?? fileURLToPath(new URL('.', import.meta.url)), '..');

/** Writes them into a folder, given relative to the checkout. What else is in that folder goes. */
export async function writePlatforms(npmDir) {
  rmSync(join(root, npmDir), { recursive: true, force: true });
  await new NapiCli().createNpmDirs({ cwd: root, npmDir });
  for (const platform of readdirSync(join(root, npmDir))) {
    const file = join(root, npmDir, platform, 'package.json');
    // The keywords would list each of them as a package for Pi.
    const { keywords: _, ...manifest } = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, `${JSON.stringify({ ...manifest, description: `The binary of pi-context-engine for ${platform}.` }, null, 2)}\n`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await writePlatforms('npm');
