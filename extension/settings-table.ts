// Every setting, once: parsing, errors, the JSON schema and the table in the README are made from these rows.

/** What a value may be. */
export type Kind =
  | { is: 'switch' }
  | { is: 'whole'; least: number; most: number }
  | { is: 'word'; words: readonly string[] }
  | { is: 'words'; words: readonly string[] }
  | { is: 'text'; of: string }
  | { is: 'texts'; of: string }
  | { is: 'map'; of: string };

/** A setting. */
export interface Row<T = unknown> {
  kind: Kind;
  default: T;
  /** What holds, given the user's value and the one of user and project together: a project may narrow, never widen. */
  narrow: (user: T, wanted: T) => T;
  /** What a project's value may do, for people. */
  project: string;
  /** Why only the user may set it; a project's value is refused with this reason. */
  userOnly?: string;
  /** For people, in one sentence without its full stop. */
  doc: string;
}

const ON_IF_BOTH = { narrow: (user: boolean, wanted: boolean) => user && wanted, project: 'switches off' };
const ON_IF_EITHER = { narrow: (user: boolean, wanted: boolean) => user || wanted, project: 'switches on' };
const LOWER = { narrow: Math.min, project: 'lowers' };
/** The user's value alone. */
const userOnly = (reason: string) => ({ narrow: <T>(user: T): T => user, project: 'nothing', userOnly: reason });
/** Words stand in order: the first is the narrowest. */
const earlier = <W extends string>(words: readonly W[]) => ({
  narrow: (user: W, wanted: W): W => words[Math.min(words.indexOf(user), words.indexOf(wanted))] as W,
  project: `chooses what stands earlier: ${words.join(', ')}`,
});

const switched = (fallback: boolean, rule: typeof ON_IF_BOTH, doc: string): Row<boolean> => ({ kind: { is: 'switch' }, default: fallback, ...rule, doc });
const whole = (fallback: number, least: number, most: number, doc: string): Row<number> => ({
  kind: { is: 'whole', least, most },
  default: fallback,
  ...LOWER,
  doc,
});
const word = <W extends string>(fallback: NoInfer<W>, words: readonly W[], doc: string, rule = earlier(words)): Row<W> => ({
  kind: { is: 'word', words },
  default: fallback,
  ...rule,
  doc,
});

const PATTERNS = 'patterns in the syntax of .gitignore';
/** Only the user knows which provider is asked, and what it takes. */
const BY_PROVIDER = userOnly('it depends on your provider');

/** Only the user knows the model, and says where text may go. */
const BY_EMBEDDING = userOnly('it decides where text goes');
const text = (of: string, doc: string, fallback = ''): Row<string> => ({ kind: { is: 'text', of }, default: fallback, ...BY_EMBEDDING, doc });

const REMOTE_CLASSES = ['normal', 'internal', 'sensitive'] as const;
type RemoteClass = (typeof REMOTE_CLASSES)[number];

const DELIVERIES = ['inject', 'tools', 'both', 'off'] as const;
type Delivery = (typeof DELIVERIES)[number];

/** The settings by name, below `contextEngine`. */
export const TABLE = {
  mode: word('managed', ['off', 'observer', 'managed'], '`managed` quotes; `observer` plans and records, and sends nothing; `off` does nothing'),
  delivery: {
    kind: { is: 'word', words: DELIVERIES },
    default: 'inject',
    narrow: (user, wanted) => (user === 'both' ? wanted : wanted === 'both' || wanted === user ? user : 'off'),
    project: 'takes away',
    doc: 'how the model gets at the project: quotations before its prompts (`inject`), `tools` that it calls itself, `both`, or neither (`off`)',
  } satisfies Row<Delivery> as Row<Delivery>,
  'project.enabled': switched(true, ON_IF_BOTH, 'whether projects are read at all'),
  'project.consent': word(
    'host',
    ['ask', 'host'],
    "whose word is the consent to read a project: Pi's (`host`), or yours, asked for once and remembered (`ask`)",
  ),
  'project.exclude': {
    kind: { is: 'texts', of: PATTERNS },
    default: [],
    narrow: (user, wanted) => [...new Set([...user, ...wanted])],
    project: 'adds',
    doc: 'what is never read',
  } satisfies Row<string[]> as Row<string[]>,
  'project.include': {
    kind: { is: 'texts', of: PATTERNS },
    default: [],
    ...userOnly('it widens what is read'),
    doc: 'what is read although Git ignores it or the name of its folder keeps it out; never credentials, secrets or links',
  } satisfies Row<string[]> as Row<string[]>,
  'project.languages': {
    kind: { is: 'map', of: 'languages by ending, such as {"inc": "php"}' },
    default: {},
    ...userOnly('it decides over the index of all sessions'),
    doc: 'your own endings of files, and the language that each is parsed as',
  } satisfies Row<Record<string, string>> as Row<Record<string, string>>,
  'project.maxFiles': whole(10_000, 1, 1_000_000, 'files that are read'),
  'project.maxFileBytes': whole(512_000, 0, 10_000_000, 'bytes of one file; larger ones are not read'),
  'project.maxTotalBytes': whole(50_000_000, 0, 100_000_000_000, 'bytes of all files together'),
  'project.maxResults': whole(8, 1, 100, 'quotations for one prompt'),
  'context.maxProjectTokens': whole(20_000, 256, 100_000, "tokens of all quotations in a conversation; a model's window lowers it"),
  'context.maxDelayMs': whole(
    150,
    10,
    10_000,
    'milliseconds that a model call may wait; in print and json mode at least 2,000 while the index is not complete',
  ),
  'context.oneMessage': word(
    'auto',
    ['auto', 'always', 'never'],
    'whether all quotations for a prompt go into one message, for providers that want roles to alternate; `auto` knows them',
    BY_PROVIDER,
  ),
  'context.placement': word(
    'keep',
    ['keep', 'latest'],
    '`keep` leaves quotations where they stood, so that the prompt cache holds; `latest` sends those of the latest prompt alone',
    BY_PROVIDER,
  ),
  'retrieval.commits': switched(true, ON_IF_BOTH, 'whether past commits of the branch say which files a request may be about'),
  'retrieval.semantic': switched(false, ON_IF_BOTH, 'whether chunks that are close to a request in meaning are looked for, too, by vectors'),
  'retrieval.embedding.folder': text('the path of a folder, or ""', 'a folder with a static model (Model2Vec) that makes the vectors on this machine'),
  'retrieval.embedding.url': text('an address, or ""', 'an endpoint in the form of OpenAI, with its path (`…/v1/embeddings`), that makes the vectors instead'),
  'retrieval.embedding.provider': text('a name without /', 'your name for who makes the vectors', 'local'),
  'retrieval.embedding.model': text('a name', "the endpoint's name for its model, or yours for the folder; by default the name of the folder"),
  'retrieval.embedding.keyVariable': text('the name of an environment variable, or ""', 'the variable that holds the key of the endpoint'),
  'retrieval.embedding.dimensions': {
    ...whole(256, 16, 4_096, 'numbers of a vector, as the model makes them'),
    ...BY_EMBEDDING,
  } satisfies Row<number> as Row<number>,
  'retrieval.embedding.maxSources': whole(50_000, 1, 100_000, 'chunks that have a vector'),
  'retrieval.embedding.candidatePool': whole(80, 1, 500, 'close chunks that one request looks at'),
  'retrieval.embedding.batchSize': whole(64, 1, 512, 'texts that are embedded together'),
  'retrieval.embedding.queryCacheSize': whole(64, 1, 1_000, 'vectors of requests that are remembered'),
  'retrieval.embedding.timeoutMs': whole(2_000, 1, 120_000, 'milliseconds that one call may take'),
  'retrieval.embedding.remoteProfiles': {
    kind: { is: 'texts', of: 'names, each exactly `provider/model`' },
    default: [],
    ...BY_EMBEDDING,
    doc: 'profiles elsewhere that may have text of your projects; they need `privacy.enabled`, too',
  } satisfies Row<string[]> as Row<string[]>,
  'privacy.enabled': switched(false, ON_IF_EITHER, 'whether text that files mark with `[ds4:…]` goes only where its class may go'),
  'privacy.remoteAllow': {
    kind: { is: 'words', words: REMOTE_CLASSES },
    default: ['normal', 'internal'],
    narrow: (user, wanted) => wanted.filter((name) => user.includes(name)),
    project: 'takes away',
    doc: 'classes of text that a model elsewhere may have; `local-only` never is one',
  } satisfies Row<RemoteClass[]> as Row<RemoteClass[]>,
  'privacy.secrets': word('exclude', ['exclude', 'redact'], '`exclude` keeps files with secrets out, `redact` puts markers in place of the secrets'),
};

export type Key = keyof typeof TABLE;
export type Settings = { [K in Key]: (typeof TABLE)[K] extends Row<infer T> ? T : never };

/** The rows in order. */
export const ROWS = Object.entries(TABLE) as [Key, Row][];

/** What a value may be, in words. */
export function allowed(kind: Kind): string {
  switch (kind.is) {
    case 'switch':
      return 'true, false';
    case 'whole':
      return `whole numbers from ${kind.least} to ${kind.most}`;
    case 'word':
      return kind.words.join(', ');
    case 'words':
      return `a list of ${kind.words.join(', ')}`;
    case 'text':
      return kind.of;
    case 'texts':
      return `a list of ${kind.of}`;
    case 'map':
      return `an object of ${kind.of}`;
  }
}

/** Whether a value is of a kind. */
export function isOf(kind: Kind, value: unknown): boolean {
  switch (kind.is) {
    case 'switch':
      return typeof value === 'boolean';
    case 'whole':
      return Number.isInteger(value) && Number(value) >= kind.least && Number(value) <= kind.most;
    case 'word':
      return kind.words.some((word) => word === value);
    case 'words':
      return Array.isArray(value) && value.every((item) => kind.words.some((word) => word === item));
    case 'text':
      return typeof value === 'string';
    case 'texts':
      return Array.isArray(value) && value.every((item) => typeof item === 'string');
    case 'map':
      return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every((item) => typeof item === 'string');
  }
}
