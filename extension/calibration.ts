// What the models' own counts say of our estimates: numbers by the name of a model, kept beside the user's settings for later sessions.
import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TokenSample } from '../index.js';
import { loadAddon } from './addon.ts';
import { agentFolder } from './settings.ts';

/** Models whose samples are kept; beyond it those heard of longest ago are forgotten. */
const MOST_MODELS = 64;
/** Characters of a request that are counted; a longer one is no sample. */
const MOST_CHARACTERS = 4_000_000;
const MOST_VALUES = 1_000_000;
/** A string like this is an image or a file, which no estimate of text fits. */
const ENCODED = /^(?:data:[\w/+.-]+;base64,|[A-Za-z0-9+/_-]{1024})/;
/** Tokens that an image or a file counts for where there is no count but ours. */
const ENCODED_TOKENS = 2_000;

const file = () => join(agentFolder(), 'context-engine-calibration.json');

let samples: Map<string, TokenSample[]> | undefined;
let saving: Promise<void> = Promise.resolve();

/** The samples of a model, oldest first. */
export function samplesOf(model: string): TokenSample[] {
  samples ??= stored();
  return samples.get(model) ?? [];
}

/** Takes in one request of a model; an ephemeral session leaves no trace of it on disk. */
export function addSample(model: string, sample: TokenSample, isEphemeral: boolean): void {
  const newest = [...samplesOf(model), sample].slice(-loadAddon().tokenLimits().samples);
  samples?.delete(model);
  samples?.set(model, newest);
  const [oldest] = samples?.keys() ?? [];
  if (samples && samples.size > MOST_MODELS && oldest) samples.delete(oldest);
  const path = file();
  if (!isEphemeral) saving = saving.then(() => store(path)).catch(() => {});
}

/** Settles when what was learnt is stored, or cannot be. */
export function calibrationSaved(): Promise<void> {
  return saving;
}

/** Forgets what this process knows: what is stored is read again. */
export function forgetSamples(): void {
  samples = undefined;
}

async function store(path: string): Promise<void> {
  const temporary = `${path}.${process.pid}`;
  const pairs = [...(samples ?? [])].map(([model, of]) => [model, of.map(({ estimated, actual }) => [estimated, actual])]);
  await writeFile(temporary, `${JSON.stringify(Object.fromEntries(pairs))}\n`, { mode: 0o600 });
  await rename(temporary, path);
}

/** What earlier sessions learnt; nothing where it cannot be read. */
function stored(): Map<string, TokenSample[]> {
  try {
    const read = Object.entries(JSON.parse(readFileSync(file(), 'utf8')) as Record<string, unknown>);
    return new Map(read.slice(-MOST_MODELS).map(([model, pairs]) => [model, Array.isArray(pairs) ? pairs.flatMap(sampleOf) : []]));
  } catch {
    return new Map();
  }
}

function sampleOf(pair: unknown): TokenSample[] {
  const [estimated, actual] = Array.isArray(pair) ? pair : [];
  return [estimated, actual].every((count) => Number.isFinite(count) && count > 0) ? [{ estimated, actual }] : [];
}

/** The estimate of a whole serialized request; undefined for one that cannot be estimated. Never rejects, and nobody need wait for it. */
export async function estimate(payload: unknown): Promise<number | undefined> {
  try {
    const { text, encoded } = textsOf(payload) ?? {};
    return text === undefined || encoded ? undefined : await loadAddon().countTokens(text);
  } catch {
    return undefined;
  }
}

/** Tokens of a conversation that nobody has counted; more than any window for one that is too long to count. */
export async function measure(messages: readonly unknown[]): Promise<number> {
  const { text, encoded } = textsOf(messages) ?? {};
  return text === undefined ? Number.POSITIVE_INFINITY : (await loadAddon().countTokens(text)) + (encoded ?? 0) * ENCODED_TOKENS;
}

/** All text of a serialized request, names included: they stand for what its form costs; and how many images or files it holds. */
function textsOf(payload: unknown): { text: string; encoded: number } | undefined {
  const parts: string[] = [];
  let [length, encoded] = [0, 0];
  const waiting: unknown[] = [payload];
  for (let seen = 0; waiting.length > 0; seen += 1) {
    const value = waiting.pop();
    if (typeof value === 'string' && ENCODED.test(value)) encoded += 1;
    else if (typeof value === 'string') {
      parts.push(value);
      length += value.length;
    } else if (Array.isArray(value)) {
      for (const item of value) waiting.push(item);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value)) waiting.push(name, inner);
    }
    if (seen > MOST_VALUES || length > MOST_CHARACTERS) return undefined;
  }
  return { text: parts.join('\n'), encoded };
}
