// Settings live under one key of the host's own settings. A project's may narrow what the user's allow, never widen it.
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Privacy } from '../index.js';
import { visible } from './present.ts';
import { allowed, isOf, type Key, ROWS, type Settings } from './settings-table.ts';

export type { Settings } from './settings-table.ts';

export const SETTINGS_KEY = 'contextEngine';

/** Problems that are told one by one; the rest is counted. */
const MOST_PROBLEMS = 8;
/** Characters of a name or value that are shown. */
const MOST_SHOWN = 60;

/** The settings in force, and a sentence for each value that is not allowed. `merged` are the host's, of user and project together. */
export function resolveSettings(merged: unknown, readUser: () => unknown = readUserSettings): { settings: Settings; problems: string[] } {
  const problems: string[] = [];
  const own = member(merged, SETTINGS_KEY);
  if (own === undefined) return { settings: parse({}, problems), problems };
  const wanted = parse(own, problems);
  const users = member(readUser(), SETTINGS_KEY);
  const user = parse(users, []);
  for (const [key, { kind, userOnly }] of ROWS) {
    const value = valueAt(own, key);
    if (userOnly && isOf(kind, value) && !isDeepStrictEqual(value, valueAt(users, key))) {
      problems.push(`${SETTINGS_KEY}.${key} of the project is refused: ${userOnly}, so it holds in your own settings alone.`);
    }
  }
  const settings = Object.fromEntries(ROWS.map(([key, row]) => [key, row.narrow(user[key], wanted[key])])) as Settings;
  const more = problems.length - MOST_PROBLEMS;
  if (more > 0) problems.splice(MOST_PROBLEMS, more, `${SETTINGS_KEY}: problems like these: ${more} more.`);
  return { settings, problems };
}

/** What the addon wants to know of classes. */
export function privacyOf(settings: Settings): Required<Privacy> {
  return { enabled: settings['privacy.enabled'], remoteAllow: settings['privacy.remoteAllow'] };
}

function parse(own: unknown, problems: string[]): Settings {
  const parsed = ROWS.map(([key, row]) => {
    const value = valueAt(own, key);
    if (value === undefined || isOf(row.kind, value)) return [key, value ?? row.default];
    problems.push(`${SETTINGS_KEY}.${key} is ${shown(value)}; allowed: ${allowed(row.kind)}. Using ${JSON.stringify(row.default)}.`);
    return [key, row.default];
  });
  problems.push(...unknownKeys(own));
  return Object.fromEntries(parsed) as Settings;
}

function unknownKeys(own: unknown, prefix = ''): string[] {
  if (typeof own !== 'object' || own === null || Array.isArray(own)) {
    return own === undefined ? [] : [`${SETTINGS_KEY}${prefix && `.${prefix.slice(0, -1)}`} is ${shown(own)}; allowed: an object.`];
  }
  return Object.entries(own).flatMap(([name, value]) => {
    const key = `${prefix}${name}`;
    if (ROWS.some(([known]) => known === (key as Key))) return [];
    const below = ROWS.filter(([known]) => known.startsWith(`${key}.`));
    if (below.length > 0) return unknownKeys(value, `${key}.`);
    const near = ROWS.filter(([known]) => known.startsWith(prefix)).map(([known]) => known);
    return [`${SETTINGS_KEY}.${prefix}${short(visible(name))} is no setting; there are: ${near.join(', ')}.`];
  });
}

/** A value with its kind; a long one is cut. */
function shown(value: unknown): string {
  const kind = Array.isArray(value) ? 'a list' : value === null ? 'null' : typeof value === 'string' ? 'a text' : `a ${typeof value}`;
  return kind === 'null' ? kind : `${kind}, ${short(visible(JSON.stringify(value)))}`;
}

const short = (text: string) => (text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text);

const valueAt = (settings: unknown, key: string) => key.split('.').reduce(member, settings);

/** The folder of the host's own settings of the user. */
export function agentFolder(): string {
  return process.env.PI_CODING_AGENT_DIR?.replace(/^~(?=$|[/\\])/, homedir()) ?? join(homedir(), '.pi', 'agent');
}

// The host hands out the merged settings alone, so what the user's own file says is read here.
function readUserSettings(): unknown {
  try {
    return JSON.parse(readFileSync(join(agentFolder(), 'settings.json'), 'utf8'));
  } catch {
    return undefined;
  }
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
