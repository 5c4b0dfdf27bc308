// Settings as anybody may have written them: whatever stands there, the result is in range, and a project only narrows.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { resolveSettings } from '../extension/settings.ts';

// FUZZ_SECONDS makes a run as long as wanted, FUZZ_SEED repeats one.
const seconds = Number(process.env.FUZZ_SECONDS ?? 0);
const seed = process.env.FUZZ_SEED === undefined ? {} : { seed: Number(process.env.FUZZ_SEED) };
const length = seconds > 0 ? { numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: seconds * 1_000 } : { numRuns: 500 };

const MODES = ['off', 'observer', 'managed'];
const CLASSES = ['normal', 'internal', 'sensitive'];
const TOKENS = { least: 256, most: 100_000 };
const DELAY_MS = { least: 10, most: 10_000 };
/** Characters of a value that may stand in a sentence about it. */
const SHOWN = 250;

interface View {
  enabled: boolean;
  mode: string;
  maxProjectTokens: number;
  maxDelayMs: number;
  oneMessage: string;
  secrets: string;
  exclude: string[];
  privacyEnabled: boolean;
  remoteAllow: string[];
}

const KEYS: Record<keyof View, string> = {
  enabled: 'project.enabled',
  mode: 'mode',
  maxProjectTokens: 'context.maxProjectTokens',
  maxDelayMs: 'context.maxDelayMs',
  oneMessage: 'context.oneMessage',
  secrets: 'privacy.secrets',
  exclude: 'project.exclude',
  privacyEnabled: 'privacy.enabled',
  remoteAllow: 'privacy.remoteAllow',
};

/** The settings by their keys, whether the module nests them or not. */
function view(settings: object): View {
  const nested = settings as Record<string, Record<string, unknown>>;
  const take = (key: string) => {
    const [group = '', name = group] = key.split('.');
    const all = settings as Record<string, unknown>;
    return key in all ? all[key] : (nested[group]?.[name] ?? all[name]);
  };
  return Object.fromEntries(Object.entries(KEYS).map(([name, key]) => [name, take(key)])) as unknown as View;
}

const NAMES = ['project', 'context', 'privacy', 'retrieval', ...Object.values(KEYS).flatMap((key) => key.split('.')), ...Object.values(KEYS)];
const key = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...NAMES) },
  { weight: 1, arbitrary: fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'length', '') },
  { weight: 1, arbitrary: fc.string({ maxLength: 20 }) },
);
const value = fc.oneof(
  fc.constantFrom<unknown>(true, false, ...MODES, 'auto', 'always', 'never', 'exclude', 'redact', 'local-only', 256, 1_000, 100_000, 10, 150, 10_000),
  fc.constantFrom<unknown>(255, 100_001, 9, 10_001, 0.5, -1, 2 ** 53, 1e308, -0, null, [], {}, '', 'NORMAL', 'true'),
  fc.array(fc.constantFrom(...CLASSES, 'local-only', 'a/', '!b'), { maxLength: 4 }),
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ minLength: 400, maxLength: 2_000 }),
  fc.array(fc.integer(), { minLength: 300, maxLength: 400 }),
);
// As text, so that `__proto__` becomes a key like any other, as in a settings file.
const object = (of: fc.Arbitrary<string>) =>
  fc.array(fc.tuple(key, of), { maxLength: 8 }).map((pairs) => `{${pairs.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`);
const leaf = value.map((made) => JSON.stringify(made));
const written = fc.oneof({ weight: 9, arbitrary: object(fc.oneof(leaf, object(leaf))) }, { weight: 1, arbitrary: leaf });

const within = (number: number, { least, most }: typeof TOKENS) => Number.isInteger(number) && number >= least && number <= most;

/** Every text and list in a value that is too long to be repeated. */
function longParts(given: unknown): string[] {
  if (typeof given === 'string') return given.length > SHOWN ? [JSON.stringify(given), given] : [];
  if (typeof given !== 'object' || given === null) return [];
  const text = JSON.stringify(given);
  return [...(Array.isArray(given) && text.length > SHOWN ? [text] : []), ...Object.values(given).flatMap(longParts)];
}

function check(project: unknown, user: unknown): void {
  const own = (contextEngine: unknown) => ({ contextEngine });
  const alone = view(resolveSettings(own(user), () => own(user)).settings);
  const { settings, problems } = resolveSettings(own(project), () => own(user));
  const both = view(settings);

  for (const one of [alone, both]) {
    expect(typeof one.enabled).toBe('boolean');
    expect(typeof one.privacyEnabled).toBe('boolean');
    expect(MODES).toContain(one.mode);
    expect(within(one.maxProjectTokens, TOKENS)).toBe(true);
    expect(within(one.maxDelayMs, DELAY_MS)).toBe(true);
    expect(['auto', 'always', 'never']).toContain(one.oneMessage);
    expect(['exclude', 'redact']).toContain(one.secrets);
    expect(one.exclude.every((pattern) => typeof pattern === 'string')).toBe(true);
    expect(one.remoteAllow.every((name) => CLASSES.includes(name))).toBe(true);
  }

  if (both.enabled) expect(alone.enabled).toBe(true);
  if (alone.privacyEnabled) expect(both.privacyEnabled).toBe(true);
  if (both.secrets === 'redact') expect(alone.secrets).toBe('redact');
  expect(MODES.indexOf(both.mode)).toBeLessThanOrEqual(MODES.indexOf(alone.mode));
  expect(both.maxProjectTokens).toBeLessThanOrEqual(alone.maxProjectTokens);
  expect(both.maxDelayMs).toBeLessThanOrEqual(alone.maxDelayMs);
  expect(both.oneMessage).toBe(alone.oneMessage);
  expect(both.exclude).toEqual(expect.arrayContaining(alone.exclude));
  expect(alone.remoteAllow).toEqual(expect.arrayContaining(both.remoteAllow));

  for (const problem of problems)
    expect(problem).toMatch(/^contextEngine(\.| is )[\s\S]*(; (allowed|there are): .|refused: .)|^contextEngine: problems like these: \d+ more\.$/);
  const told = problems.join('\n');
  for (const long of longParts(project)) expect(told.includes(long)).toBe(false);
  expect(Object.keys(Object.prototype)).toEqual([]);
}

test(
  'any settings of a user and a project: nothing is thrown, all is in range, a project only narrows, and what is wrong is named without its length',
  async () => {
    let runs = 0;
    const property = fc.asyncProperty(written, written, async (project, user) => {
      check(JSON.parse(project), JSON.parse(user));
      runs += 1;
      // A long run lets the test's own process breathe.
      if (runs % 200 === 0) await new Promise((next) => setImmediate(next));
    });
    await fc.assert(property, { ...length, ...seed });
  },
  seconds * 1_000 + 60_000,
);

test('a value that is wrong is named with its key and what is allowed', () => {
  for (const [name, wrong] of Object.entries({ mode: 'loud', maxProjectTokens: 1, maxDelayMs: '1', secrets: 'none', enabled: 'yes', remoteAllow: ['all'] })) {
    const path = KEYS[name as keyof View].split('.');
    const settings = path.reduceRight<unknown>((inner, part) => ({ [part]: inner }), wrong);
    const { problems } = resolveSettings({ contextEngine: settings }, () => ({}));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`contextEngine.${path.join('.')} is `);
    expect(problems[0]).toMatch(/; allowed: \S/);
  }
});
