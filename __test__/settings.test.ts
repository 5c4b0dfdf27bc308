import { expect, test } from 'vitest';
import { privacyOf, resolveSettings } from '../extension/settings.ts';
import { allowed, isOf, type Kind, ROWS } from '../extension/settings-table.ts';

const own = (contextEngine: unknown) => ({ contextEngine });
const resolve = (merged: unknown, user: unknown = {}) => resolveSettings(merged, () => user);
const DEFAULTS = Object.fromEntries(ROWS.map(([key, row]) => [key, row.default]));

test('without settings the defaults hold, and no file is read', () => {
  const { settings, problems } = resolveSettings({}, () => expect.fail('the file was read'));
  expect(settings).toEqual(DEFAULTS);
  expect(problems).toEqual([]);
});

test('a project narrows what the user allows, and widens nothing', () => {
  const user = own({
    mode: 'observer',
    context: { maxProjectTokens: 8_000, maxDelayMs: 100, oneMessage: 'always', placement: 'latest' },
    project: { enabled: false, consent: 'ask', maxFiles: 100, maxFileBytes: 10, maxTotalBytes: 1_000, maxResults: 4 },
    retrieval: { commits: false },
  });
  const wide = own({
    mode: 'managed',
    context: { maxProjectTokens: 50_000, maxDelayMs: 9_000, oneMessage: 'never', placement: 'keep' },
    project: { enabled: true, consent: 'host', maxFiles: 200, maxFileBytes: 20, maxTotalBytes: 2_000, maxResults: 9 },
    retrieval: { commits: true },
  });
  const narrowest = {
    ...DEFAULTS,
    mode: 'observer',
    'project.enabled': false,
    'project.consent': 'ask',
    'project.maxFiles': 100,
    'project.maxFileBytes': 10,
    'project.maxTotalBytes': 1_000,
    'project.maxResults': 4,
    'context.maxProjectTokens': 8_000,
    'context.maxDelayMs': 100,
    'context.oneMessage': 'always',
    'context.placement': 'latest',
    'retrieval.commits': false,
  };
  const refused = (key: string) =>
    `contextEngine.context.${key} of the project is refused: it depends on your provider, so it holds in your own settings alone.`;
  expect(resolve(wide, user)).toEqual({ settings: narrowest, problems: [refused('oneMessage'), refused('placement')] });
  const numbers = { ...narrowest, 'context.oneMessage': 'never', 'context.placement': 'keep' };
  expect(resolve(user, wide).settings).toEqual(numbers);
});

test('what a project excludes is added to what the user excludes', () => {
  const exclude = (...patterns: string[]) => own({ project: { exclude: patterns } });
  expect(resolve(exclude('b/'), exclude('a/')).settings['project.exclude']).toEqual(['a/', 'b/']);
  expect(resolve(own({ project: { exclude: 'a/' } })).problems).toEqual([
    'contextEngine.project.exclude is a text, "a/"; allowed: a list of patterns in the syntax of .gitignore. Using [].',
  ]);
});

test("what widens is the user's alone: a value of the project is refused with the reason, the same value of the user is not", () => {
  const wide = own({ project: { include: ['vendor/'], languages: { inc: 'php' } } });
  const mine = own({ project: { include: ['dist/api/'] } });
  expect(resolve(wide, wide)).toEqual({ settings: { ...DEFAULTS, 'project.include': ['vendor/'], 'project.languages': { inc: 'php' } }, problems: [] });
  const { settings, problems } = resolve(wide, mine);
  expect([settings['project.include'], settings['project.languages']]).toEqual([['dist/api/'], {}]);
  expect(problems).toEqual([
    'contextEngine.project.include of the project is refused: it widens what is read, so it holds in your own settings alone.',
    'contextEngine.project.languages of the project is refused: it decides over the index of all sessions, so it holds in your own settings alone.',
  ]);
  expect(resolve(own({ project: { languages: ['php'] } })).problems[0]).toBe(
    'contextEngine.project.languages is a list, ["php"]; allowed: an object of languages by ending, such as {"inc": "php"}. Using {}.',
  );
});

test('of quotations and tools a project takes away, and adds nothing', () => {
  const delivery = (project: string, user: string) => resolve(own({ delivery: project }), own({ delivery: user })).settings.delivery;
  const all = ['inject', 'tools', 'both', 'off'];
  expect(all.map((user) => all.map((project) => delivery(project, user)))).toEqual([
    ['inject', 'off', 'inject', 'off'],
    ['off', 'tools', 'tools', 'off'],
    ['inject', 'tools', 'both', 'off'],
    ['off', 'off', 'off', 'off'],
  ]);
});

test('secrets are redacted only where the user says so', () => {
  const redact = own({ privacy: { secrets: 'redact' } });
  const secrets = (merged: unknown, user: unknown) => resolve(merged, user).settings['privacy.secrets'];
  expect([secrets(redact, own({})), secrets(redact, redact), secrets(own({ privacy: { secrets: 'exclude' } }), redact)]).toEqual([
    'exclude',
    'redact',
    'exclude',
  ]);
});

test('the user may go above the defaults', () => {
  const user = own({ context: { maxProjectTokens: 60_000 } });
  expect(resolve(user, user).settings['context.maxProjectTokens']).toBe(60_000);
});

test('a wrong value is named with its key, its kind and what is allowed; the default holds', () => {
  const { settings, problems } = resolve(
    own({ mode: 'loud', project: { enabled: 'yes', maxFiles: null }, context: { maxProjectTokens: 1.5, maxDelayMs: 0, oneMessage: 1 }, privacy: [] }),
  );
  expect(problems).toEqual([
    'contextEngine.mode is a text, "loud"; allowed: off, observer, managed. Using "managed".',
    'contextEngine.project.enabled is a text, "yes"; allowed: true, false. Using true.',
    'contextEngine.project.maxFiles is null; allowed: whole numbers from 1 to 1000000. Using 10000.',
    'contextEngine.context.maxProjectTokens is a number, 1.5; allowed: whole numbers from 256 to 100000. Using 20000.',
    'contextEngine.context.maxDelayMs is a number, 0; allowed: whole numbers from 10 to 10000. Using 150.',
    'contextEngine.context.oneMessage is a number, 1; allowed: auto, always, never. Using "auto".',
    'contextEngine.privacy is a list, []; allowed: an object.',
  ]);
  expect(settings).toEqual(DEFAULTS);
});

test('a key that is none is named with those that there are; a long value is cut', () => {
  expect(resolve(own({ context: { maxTokens: 5 } })).problems).toEqual([
    'contextEngine.context.maxTokens is no setting; there are: context.maxProjectTokens, context.maxDelayMs, context.oneMessage, context.placement.',
  ]);
  const [problem] = resolve(own('x'.repeat(500))).problems;
  expect(problem).toBe(`contextEngine is a text, "${'x'.repeat(59)}…; allowed: an object.`);
});

test('names and values that a project chose are bounded and drive no terminal; of many problems the first are told', () => {
  const near = ROWS.map(([key]) => key).join(', ');
  expect(resolve(own({ '\u001b[31m\u202e': 1 })).problems).toEqual([`contextEngine.\\u{1b}[31m\\u{202e} is no setting; there are: ${near}.`]);
  expect(resolve(own({ mode: '\u202e\u2028' })).problems[0]).toContain('mode is a text, "\\u{202e}\\u{2028}"; allowed');
  expect(resolve(own({ ['k'.repeat(5_000)]: 1 })).problems).toEqual([`contextEngine.${'k'.repeat(60)}… is no setting; there are: ${near}.`]);
  const many = resolve(own(Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`key${at}`, at])))).problems;
  expect(many).toHaveLength(9);
  expect(many[8]).toBe('contextEngine: problems like these: 992 more.');
});

test('privacy: whoever switches it on has it, a project allows no more classes, and local-only is no class to allow', () => {
  const rules = (enabled: boolean | undefined, ...remoteAllow: string[]) => own({ privacy: { enabled, remoteAllow } });
  const privacy = (merged: unknown, user: unknown) => privacyOf(resolve(merged, user).settings);
  expect(privacy(rules(true, 'normal', 'sensitive'), own({}))).toEqual({ enabled: true, remoteAllow: ['normal'] });
  expect(privacy(rules(false, 'normal', 'internal', 'sensitive'), rules(true, 'normal', 'sensitive'))).toEqual({
    enabled: true,
    remoteAllow: ['normal', 'sensitive'],
  });
  const wrong = resolve(rules(true, 'normal', 'local-only'));
  expect(privacyOf(wrong.settings)).toEqual({ enabled: true, remoteAllow: ['normal', 'internal'] });
  expect(wrong.problems).toEqual([
    'contextEngine.privacy.remoteAllow is a list, ["normal","local-only"]; allowed: a list of normal, internal, sensitive. Using ["normal","internal"].',
  ]);
});

/** Values of a kind, and values that are none of it. */
const samplesOf = (kind: Kind): { good: unknown[]; bad: unknown[] } => {
  const all = [true, false, 'x', '', null, [], {}, ['a/'], ['a/', 'b/'], [1], { inc: 'php' }, { inc: 1 }, 1.5, -1, Number.MAX_SAFE_INTEGER];
  if (kind.is === 'whole') all.push(kind.least, kind.most, kind.least - 1, kind.most + 1);
  if (kind.is === 'word') all.push(...kind.words);
  if (kind.is === 'words') all.push(...kind.words.map((word) => [word]), [...kind.words], ['local-only']);
  return { good: all.filter((value) => isOf(kind, value)), bad: all.filter((value) => !isOf(kind, value)) };
};
const at = (key: string, value: unknown) => own(key.split('.').reduceRight<unknown>((inner, part) => ({ [part]: inner }), value));
const sorted = (value: unknown) => (Array.isArray(value) ? [...value].sort() : value);

test.each(ROWS)('%s: a wrong value is named with key, value and what is allowed; the default holds', (key, { kind, default: fallback }) => {
  const { good, bad } = samplesOf(kind);
  expect(good.length).toBeGreaterThan(1);
  expect(isOf(kind, fallback)).toBe(true);
  for (const value of bad) {
    const { settings, problems } = resolve(at(key, value));
    const shown = value === null ? 'null' : `, ${JSON.stringify(value)}`;
    expect(problems).toEqual([expect.stringMatching(/ is .+; allowed: .+\. Using /)]);
    expect(problems[0]?.startsWith(`contextEngine.${key} is `)).toBe(true);
    for (const part of [shown, `; allowed: ${allowed(kind)}. Using ${JSON.stringify(fallback)}.`]) expect(problems[0]).toContain(part);
    expect(settings).toEqual(DEFAULTS);
  }
});

test.each(ROWS)('%s: whatever a project says of what the user says narrows it, and is never taken back', (key, { kind, userOnly }) => {
  const { good } = samplesOf(kind);
  const resolved = (project: unknown, user: unknown) => resolve(at(key, project), at(key, user)).settings[key];
  for (const user of good) {
    expect(resolved(user, user)).toEqual(user);
    for (const project of good) {
      const narrowed = resolved(project, user);
      if (userOnly) expect(narrowed).toEqual(user);
      expect(resolved(narrowed, user)).toEqual(narrowed);
      expect(sorted(resolved(user, narrowed))).toEqual(sorted(narrowed));
    }
  }
});
