// The last look at a serialized request: what it holds of ours must be ours to the byte, and still be allowed.
// It never throws, as the host would send the request unchecked then.
import type { BlockToCheck, BlockVerdict, GateCounts } from '../index.js';
import { Deadline } from './deadline.ts';
import type { Ledger } from './ledger.ts';

/** Values of a request that are looked at; one with more cannot be checked. */
const MOST_VALUES = 1_000_000;
/** How deep they are looked for; a message of the conversation stands far higher. */
const MOST_DEPTH = 32;

const START = '[DS4 PROJECT SOURCE';
const END = /\n\[END DS4 PROJECT SOURCE(?: UPDATE| REFERENCE)?\]/;

/** Why a request cannot be checked. */
export class Unchecked extends Error {}

export interface GateOptions {
  /** Asks the rules about messages, one verdict for each. */
  check: (blocks: BlockToCheck[]) => Promise<BlockVerdict[]>;
  /** Whether a request that cannot be checked is emptied; otherwise it goes without our messages. */
  failsClosed: boolean;
  milliseconds: number;
}

export interface Passed {
  /** What to send instead of the request; undefined to leave it as it is. */
  payload: unknown;
  counts: GateCounts;
  /** The texts taken out, with the rule that forbids each. */
  forbidden: Map<string, string>;
  /** Why it could not be checked. */
  failure?: unknown;
}

/** Checks our messages in a serialized request of whatever provider. */
export async function gate(payload: unknown, ledger: Ledger, { check, failsClosed, milliseconds }: GateOptions): Promise<Passed> {
  const counts: GateCounts = { requests: 0, blocks: 0, removed: 0, failures: 0 };
  const forbidden = new Map<string, string>();
  try {
    if (ledger.isUnused) return { payload: undefined, counts, forbidden };
    const found = textsOf(payload, ledger);
    if (found.size === 0) return { payload: undefined, counts, forbidden };
    counts.requests = 1;
    counts.blocks = found.size;
    const live: BlockToCheck[] = [];
    for (const text of found) {
      const message = ledger.live(text);
      const classification = message ? message.snippet?.classification : ledger.shownClass(text);
      if (message || classification) live.push({ text, classification });
      else forbidden.set(text, ledger.wasEmitted(text) ? 'gone' : 'altered');
    }
    const verdicts = live.length > 0 ? await new Deadline(milliseconds, undefined).within(check(live)) : [];
    if (!Array.isArray(verdicts)) throw new Unchecked(`it took more than ${milliseconds} ms`);
    if (verdicts.length !== live.length) throw new Unchecked('it gave no verdict for each');
    live.forEach(({ text }, at) => {
      const { allowed, rule } = verdicts[at] as BlockVerdict;
      if (allowed !== true) forbidden.set(text, typeof rule === 'string' ? rule : 'form');
    });
    if (forbidden.size === 0) return { payload: undefined, counts, forbidden };
    counts.removed = forbidden.size;
    return { payload: without(payload, (text) => forbidden.has(text), ledger), counts, forbidden };
  } catch (failure) {
    counts.failures = 1;
    return { payload: failsClosed ? {} : withoutAny(payload, ledger), counts, forbidden: new Map(), failure };
  }
}

/** The request without any message of ours. What even that cannot be done to is not sent. */
function withoutAny(payload: unknown, ledger: Ledger): unknown {
  try {
    return without(payload, () => true, ledger);
  } catch {
    return {};
  }
}

/** The texts of ours in a string: those emitted, to the byte, and in a string that is nothing else those that only claim to be. */
function* ours(text: string, ledger: Ledger): Generator<string> {
  const isBlock = text.startsWith(START);
  for (let start = text.indexOf(START); start !== -1; ) {
    const next = text.indexOf(START, start + 1);
    const piece = text.slice(start, next === -1 ? undefined : next);
    const end = END.exec(piece);
    const block = end ? piece.slice(0, end.index + end[0].length) : piece;
    if (ledger.wasEmitted(block) || (isBlock && ledger.claimsEmitted(block))) yield block;
    start = next;
  }
}

/** What can hold further values: plain objects and lists. Bytes and objects of a class hold no message. */
function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === Object.prototype || prototype === null;
}

function textsOf(payload: unknown, ledger: Ledger): Set<string> {
  const found = new Set<string>();
  const waiting: [unknown, number][] = [[payload, 0]];
  for (let seen = 0; waiting.length > 0; seen += 1) {
    if (seen > MOST_VALUES) throw new Unchecked('the request is too large');
    const [value, depth] = waiting.pop() as [unknown, number];
    if (typeof value === 'string') for (const text of ours(value, ledger)) found.add(text);
    if (isPlain(value) && depth < MOST_DEPTH) for (const inner of Object.values(value)) waiting.push([inner, depth + 1]);
  }
  return found;
}

const GONE = Symbol('gone');

/** A copy without some of our messages: a part, a message or a list of parts that held nothing else goes with them. */
function without(payload: unknown, isForbidden: (text: string) => boolean, ledger: Ledger): unknown {
  let seen = 0;
  const copy = (value: unknown, depth: number): unknown => {
    seen += 1;
    if (seen > MOST_VALUES) throw new Unchecked('the request is too large');
    if (typeof value === 'string') {
      let rest = value;
      for (const text of ours(value, ledger)) {
        if (isForbidden(text)) rest = rest.includes(`${text}\n\n`) ? rest.replace(`${text}\n\n`, () => '') : rest.replace(text, () => '');
      }
      return rest !== value && rest.trim() === '' ? GONE : rest;
    }
    if (!isPlain(value) || depth >= MOST_DEPTH) return value;
    if (Array.isArray(value)) {
      const items = value.map((item) => copy(item, depth + 1));
      const kept = items.filter((item) => item !== GONE);
      if (kept.length === 0 && value.length > 0) return GONE;
      return items.every((item, at) => item === value[at]) ? value : kept;
    }
    const entries = Object.entries(value).map(([name, inner]) => [name, copy(inner, depth + 1)] as const);
    if (entries.some(([, inner]) => inner === GONE)) return GONE;
    return entries.every(([name, inner]) => inner === (value as Record<string, unknown>)[name]) ? value : Object.fromEntries(entries);
  };
  const rest = copy(payload, 0);
  return rest === GONE ? {} : rest;
}
