// Settings live under one key of the host's own settings. A project's may narrow what the user's allow, never widen it.
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { OneMessage } from './placement.ts';

export const SETTINGS_KEY = 'contextEngine';

const MODES = ['off', 'observer', 'managed'] as const;
const ONE_MESSAGE = ['auto', 'always', 'never'] as const;
const SECRETS = ['exclude', 'redact'] as const;
/** What a remote destination may have at the most; text marked local-only never leaves for one. */
const REMOTE_CLASSES = ['normal', 'internal', 'sensitive'] as const;
const DELAY_MS = { least: 10, most: 10_000 };
const TOKENS = { least: 256, most: 100_000 };

export interface Settings {
  enabled: boolean;
  mode: (typeof MODES)[number];
  maxProjectTokens: number;
  /** Milliseconds that a model call may wait for an answer, and its request for the last check. */
  maxDelayMs: number;
  oneMessage: OneMessage;
  /** What becomes of a file that holds a secret. */
  secrets: (typeof SECRETS)[number];
  /** Patterns of what to keep out, in the syntax of `.gitignore`. */
  exclude: string[];
  privacy: { enabled: boolean; remoteAllow: (typeof REMOTE_CLASSES)[number][] };
}

const DEFAULTS: Settings = {
  enabled: true,
  mode: 'managed',
  maxProjectTokens: 20_000,
  maxDelayMs: 150,
  oneMessage: 'auto',
  secrets: 'exclude',
  exclude: [],
  privacy: { enabled: false, remoteAllow: ['normal', 'internal'] },
};

/** The settings in force, and a sentence for each value that is not allowed. `merged` are the host's, of user and project together. */
export function resolveSettings(merged: unknown, readUser: () => unknown = readUserSettings): { settings: Settings; problems: string[] } {
  const problems: string[] = [];
  const own = section(merged, SETTINGS_KEY);
  if (own === undefined) return { settings: DEFAULTS, problems };
  const wanted = parse(own, problems);
  const allowed = parse(section(readUser(), SETTINGS_KEY), []);
  return {
    settings: {
      enabled: wanted.enabled && allowed.enabled,
      mode: MODES[Math.min(MODES.indexOf(wanted.mode), MODES.indexOf(allowed.mode))] ?? 'off',
      maxProjectTokens: Math.min(wanted.maxProjectTokens, allowed.maxProjectTokens),
      maxDelayMs: Math.min(wanted.maxDelayMs, allowed.maxDelayMs),
      oneMessage: allowed.oneMessage,
      secrets: SECRETS[Math.min(SECRETS.indexOf(wanted.secrets), SECRETS.indexOf(allowed.secrets))] ?? 'exclude',
      exclude: [...new Set([...allowed.exclude, ...wanted.exclude])],
      privacy: {
        enabled: wanted.privacy.enabled || allowed.privacy.enabled,
        remoteAllow: wanted.privacy.remoteAllow.filter((name) => allowed.privacy.remoteAllow.includes(name)),
      },
    },
    problems,
  };
}

function parse(own: unknown, problems: string[]): Settings {
  const project = section(own, 'project');
  const context = section(own, 'context');
  const privacy = section(own, 'privacy');
  const take = <T>(name: string, value: unknown, allowed: string, isAllowed: (value: unknown) => value is T, fallback: T): T => {
    if (value === undefined) return fallback;
    if (isAllowed(value)) return value;
    problems.push(`${SETTINGS_KEY}.${name} is ${shown(value)}; allowed: ${allowed}. Using ${JSON.stringify(fallback)}.`);
    return fallback;
  };
  const oneOf =
    <T extends string>(values: readonly T[]) =>
    (value: unknown): value is T =>
      values.some((allowed) => allowed === value);
  const areTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every((text) => typeof text === 'string');
  const areClasses = (value: unknown): value is Settings['privacy']['remoteAllow'] => Array.isArray(value) && value.every(oneOf(REMOTE_CLASSES));
  const isWhole =
    ({ least, most }: typeof TOKENS) =>
    (value: unknown): value is number =>
      Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
  return {
    enabled: take('project.enabled', section(project, 'enabled'), 'true, false', (value) => typeof value === 'boolean', DEFAULTS.enabled),
    mode: take('mode', section(own, 'mode'), MODES.join(', '), oneOf(MODES), DEFAULTS.mode),
    maxProjectTokens: take(
      'context.maxProjectTokens',
      section(context, 'maxProjectTokens'),
      `whole numbers from ${TOKENS.least} to ${TOKENS.most}`,
      isWhole(TOKENS),
      DEFAULTS.maxProjectTokens,
    ),
    exclude: take('project.exclude', section(project, 'exclude'), 'a list of patterns in the syntax of .gitignore', areTexts, DEFAULTS.exclude),
    secrets: take('privacy.secrets', section(section(own, 'privacy'), 'secrets'), SECRETS.join(', '), oneOf(SECRETS), DEFAULTS.secrets),
    maxDelayMs: take(
      'context.maxDelayMs',
      section(context, 'maxDelayMs'),
      `whole numbers from ${DELAY_MS.least} to ${DELAY_MS.most}`,
      isWhole(DELAY_MS),
      DEFAULTS.maxDelayMs,
    ),
    oneMessage: take('context.oneMessage', section(context, 'oneMessage'), ONE_MESSAGE.join(', '), oneOf(ONE_MESSAGE), DEFAULTS.oneMessage),
    privacy: {
      enabled: take('privacy.enabled', section(privacy, 'enabled'), 'true, false', (value) => typeof value === 'boolean', DEFAULTS.privacy.enabled),
      remoteAllow: take(
        'privacy.remoteAllow',
        section(privacy, 'remoteAllow'),
        `a list of ${REMOTE_CLASSES.join(', ')}`,
        areClasses,
        DEFAULTS.privacy.remoteAllow,
      ),
    },
  };
}

// The host hands out the merged settings alone, so what the user's own file says is read here.
function readUserSettings(): unknown {
  const folder = process.env.PI_CODING_AGENT_DIR?.replace(/^~(?=$|[/\\])/, homedir()) ?? join(homedir(), '.pi', 'agent');
  try {
    return JSON.parse(readFileSync(join(folder, 'settings.json'), 'utf8'));
  } catch {
    return undefined;
  }
}

/** A value as a sentence about it repeats it: a long one is cut. */
function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

function section(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
