import { expect, test } from 'vitest';
import { resolveSettings } from '../extension/settings.ts';

const own = (contextEngine: unknown) => ({ contextEngine });
const privacy = { enabled: false, remoteAllow: ['normal', 'internal'] };
const resolve = (merged: unknown, user: unknown = {}) => resolveSettings(merged, () => user);

test('without settings the defaults hold, and no file is read', () => {
  const { settings, problems } = resolveSettings({}, () => expect.fail('the file was read'));
  expect(settings).toEqual({
    enabled: true,
    mode: 'managed',
    maxProjectTokens: 20_000,
    maxDelayMs: 150,
    oneMessage: 'auto',
    secrets: 'exclude',
    exclude: [],
    privacy,
  });
  expect(problems).toEqual([]);
});

test('a project narrows what the user allows, and widens nothing', () => {
  const user = own({ mode: 'observer', context: { maxProjectTokens: 8_000, maxDelayMs: 100, oneMessage: 'always' }, project: { enabled: false } });
  const wide = own({ mode: 'managed', context: { maxProjectTokens: 50_000, maxDelayMs: 9_000, oneMessage: 'never' }, project: { enabled: true } });
  expect(resolve(wide, user).settings).toEqual({
    enabled: false,
    mode: 'observer',
    maxProjectTokens: 8_000,
    maxDelayMs: 100,
    oneMessage: 'always',
    secrets: 'exclude',
    exclude: [],
    privacy,
  });
  const narrow = own({ mode: 'off', context: { maxProjectTokens: 1_000 } });
  expect(resolve(narrow, own({})).settings).toMatchObject({ mode: 'off', maxProjectTokens: 1_000 });
});

test('what a project excludes is added to what the user excludes', () => {
  const exclude = (...patterns: string[]) => own({ project: { exclude: patterns } });
  expect(resolve(exclude('b/'), exclude('a/')).settings.exclude).toEqual(['a/', 'b/']);
  expect(resolve(own({ project: { exclude: 'a/' } })).problems).toEqual([
    'contextEngine.project.exclude is "a/"; allowed: a list of patterns in the syntax of .gitignore. Using [].',
  ]);
});

test('secrets are redacted only where the user says so', () => {
  const redact = own({ privacy: { secrets: 'redact' } });
  expect(resolve(redact, own({})).settings.secrets).toBe('exclude');
  expect(resolve(redact, redact).settings.secrets).toBe('redact');
  expect(resolve(own({ privacy: { secrets: 'exclude' } }), redact).settings.secrets).toBe('exclude');
  expect(resolve(own({ privacy: { secrets: 'none' } })).problems).toEqual([
    'contextEngine.privacy.secrets is "none"; allowed: exclude, redact. Using "exclude".',
  ]);
});

test('the user may go above the defaults', () => {
  const user = own({ context: { maxProjectTokens: 60_000 } });
  expect(resolve(user, user).settings.maxProjectTokens).toBe(60_000);
});

test('a wrong value is named with its key and what is allowed; the default holds', () => {
  const { settings, problems } = resolve(own({ mode: 'loud', project: { enabled: 'yes' }, context: { maxProjectTokens: 1.5, maxDelayMs: 0, oneMessage: 1 } }));
  expect(problems).toEqual([
    'contextEngine.project.enabled is "yes"; allowed: true, false. Using true.',
    'contextEngine.mode is "loud"; allowed: off, observer, managed. Using "managed".',
    'contextEngine.context.maxProjectTokens is 1.5; allowed: whole numbers from 256 to 100000. Using 20000.',
    'contextEngine.context.maxDelayMs is 0; allowed: whole numbers from 10 to 10000. Using 150.',
    'contextEngine.context.oneMessage is 1; allowed: auto, always, never. Using "auto".',
  ]);
  expect(settings).toEqual({
    enabled: true,
    mode: 'managed',
    maxProjectTokens: 20_000,
    maxDelayMs: 150,
    oneMessage: 'auto',
    secrets: 'exclude',
    exclude: [],
    privacy,
  });
});

test('privacy: whoever switches it on has it, a project allows no more classes, and local-only is no class to allow', () => {
  const rules = (enabled: boolean | undefined, ...remoteAllow: string[]) => own({ privacy: { enabled, remoteAllow } });
  expect(resolve(rules(true, 'normal', 'sensitive'), own({})).settings.privacy).toEqual({ enabled: true, remoteAllow: ['normal'] });
  expect(resolve(rules(false, 'normal', 'internal', 'sensitive'), rules(true, 'normal', 'sensitive')).settings.privacy).toEqual({
    enabled: true,
    remoteAllow: ['normal', 'sensitive'],
  });
  const wrong = resolve(rules(true, 'normal', 'local-only'));
  expect(wrong.settings.privacy).toEqual({ enabled: true, remoteAllow: ['normal', 'internal'] });
  expect(wrong.problems).toEqual([
    'contextEngine.privacy.remoteAllow is ["normal","local-only"]; allowed: a list of normal, internal, sensitive. Using ["normal","internal"].',
  ]);
});
