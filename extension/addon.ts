// Loads the addon on first use and by explicit path: the extension has to load where the addon cannot.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export type Addon = typeof import('../index.js');

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

let loaded: Addon | undefined;

/** The addon of this package's own version; throws with a sentence that says what is missing and what helps. */
export function loadAddon(): Addon {
  if (loaded) return loaded;
  const addon = createRequire(import.meta.url)(join(root, 'index.js')) as Addon;
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  if (addon.version() !== version) {
    throw new Error(`The addon is of version ${addon.version()}, the extension of ${version}. Install pi-context-engine again.`);
  }
  loaded = addon;
  return addon;
}
