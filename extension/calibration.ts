// What the models' own counts say of our estimates. Held for as long as the process lives, over all its sessions.
import type { TokenSample } from '../index.js';
import { loadAddon } from './addon.ts';

/** Samples kept of one model: as many as the addon looks at. */
const MOST_SAMPLES = 24;
/** Characters of a request that are counted; a longer one is no sample. */
const MOST_CHARACTERS = 4_000_000;
const MOST_VALUES = 1_000_000;
/** A string like this is an image or a file, which no estimate of text fits. */
const ENCODED = /^(?:data:[\w/+.-]+;base64,|[A-Za-z0-9+/_-]{1024})/;

const samples = new Map<string, TokenSample[]>();

/** The samples of a model, oldest first. */
export function samplesOf(model: string): TokenSample[] {
  return samples.get(model) ?? [];
}

/** Takes in one request of a model. */
export function addSample(model: string, sample: TokenSample): void {
  samples.set(model, [...samplesOf(model), sample].slice(-MOST_SAMPLES));
}

/** The estimate of a whole serialized request; undefined for one that cannot be estimated. Never rejects, and nobody need wait for it. */
export async function estimate(payload: unknown): Promise<number | undefined> {
  try {
    const text = textsOf(payload);
    return text === undefined ? undefined : await loadAddon().countTokens(text);
  } catch {
    return undefined;
  }
}

/** All text of a serialized request, names included: they stand for what its form costs. */
function textsOf(payload: unknown): string | undefined {
  const parts: string[] = [];
  let length = 0;
  const waiting: unknown[] = [payload];
  for (let seen = 0; waiting.length > 0; seen += 1) {
    const value = waiting.pop();
    if (typeof value === 'string') {
      if (ENCODED.test(value)) return undefined;
      parts.push(value);
      length += value.length;
    } else if (Array.isArray(value)) {
      for (const item of value) waiting.push(item);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value)) waiting.push(name, inner);
    }
    if (seen > MOST_VALUES || length > MOST_CHARACTERS) return undefined;
  }
  return parts.join('\n');
}
