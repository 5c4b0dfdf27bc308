import { createHash } from 'node:crypto';
import type { HeldSnippet, PromptMessage, QuotedSnippet, RecheckResult, RemovedBlock } from '../index.js';

/** Where a block stands: before a user message, by its key, or after a tool result, by its call. */
export type Anchor = { before: string } | { after: string };

/** Messages that stand together, for as long as their place is part of the conversation. */
export interface Block {
  anchor: Anchor;
  /** The request that they were emitted for. */
  request: string;
  quotes: Quote[];
}

export interface Quote {
  message: PromptMessage;
  /** The file's hash as last seen: the message's own until a note has said otherwise; undefined once the file is gone, and for a note. */
  knownHash: string | undefined;
  /** Whether a reply has counted it. */
  counted?: boolean;
}

/** A quotation that a tool's result shows: the host keeps the result, so only this much is known of it after a resume. */
export interface Shown {
  /** Of its text. */
  digest: string;
  classification: RemovedBlock['classification'];
  snippetId: string;
  path: string;
}

/** What was emitted in this session: it keeps place and bytes, and leaves by whole prompts, the oldest first. Held in memory only. */
export class Ledger {
  #blocks: Block[] = [];
  /** Hashes of all that was ever emitted, and of the lines that say what a quotation quotes. */
  readonly #emitted = new Set<string>();
  /** What tools' results show, by digest; whether it may be shown; and what the newest check took out of it. */
  readonly #shown = new Map<string, Shown>();
  #mayShow = true;
  #hidden = new Set<string>();

  /** Blocks in the order of their places. */
  get blocks(): readonly Block[] {
    return this.#blocks;
  }

  get tokens(): number {
    return this.#quotes().reduce((sum, quote) => sum + quote.message.tokens, 0);
  }

  /** Files that are quoted now. */
  get files(): number {
    return new Set(this.#quotes().flatMap(({ message }) => message.snippet?.path ?? [])).size;
  }

  /** Tokens of blocks that no reply has counted yet. */
  get uncounted(): number {
    return this.#quotes().reduce((sum, quote) => sum + (quote.counted ? 0 : quote.message.tokens), 0);
  }

  /** A reply has come: what was sent is part of what its model counted. */
  count(): void {
    for (const quote of this.#quotes()) quote.counted = true;
  }

  /** What was counted has been counted in another conversation, as before a compaction. */
  uncount(): void {
    for (const quote of this.#quotes()) quote.counted = false;
  }

  add(anchor: Anchor, request: string, messages: PromptMessage[]): void {
    if (messages.length === 0) return;
    this.#blocks.push({ anchor, request, quotes: messages.map((message) => ({ message, knownHash: message.snippet?.hash })) });
    for (const { text, snippet } of messages) {
      this.#emitted.add(digest(text));
      if (snippet) this.#emitted.add(digest(claimOf(text)));
    }
  }

  /** Takes in what an earlier process emitted, and this one has proven again. */
  restore(blocks: readonly Block[]): void {
    for (const { anchor, request, quotes } of blocks) {
      this.add(
        anchor,
        request,
        quotes.map(({ message }) => message),
      );
    }
  }

  /** Whether nothing was ever emitted. */
  get isUnused(): boolean {
    return this.#emitted.size === 0;
  }

  /** The message of this very text that may be part of the conversation now. */
  live(text: string): PromptMessage | undefined {
    return this.#quotes().find(({ message }) => message.text === text)?.message;
  }

  /** Takes note of what tools' results show: the checks of requests look at it as at every quotation. */
  show(quotes: readonly Shown[]): void {
    for (const quote of quotes) {
      this.#emitted.add(quote.digest);
      this.#shown.set(quote.digest, quote);
    }
  }

  /** Whether results of tools may be shown. */
  allowShown(may: boolean): void {
    this.#mayShow = may;
  }

  /** The class of this very text where a tool's result may show it. */
  shownClass(text: string): Shown['classification'] | undefined {
    return this.#mayShow ? this.#shown.get(digest(text))?.classification : undefined;
  }

  /** Takes note of which results of tools a check of a request took out, by text with its rule; those that the check before let pass. */
  hide(forbidden: ReadonlyMap<string, string>): RemovedBlock[] {
    const hidden = [...forbidden].flatMap(([text, rule]) => {
      const shown = this.#shown.get(digest(text));
      return shown ? [{ ...shown, reason: `gate:${rule}` }] : [];
    });
    const before = this.#hidden;
    this.#hidden = new Set(hidden.map(({ digest: of }) => of));
    return hidden.filter(({ digest: of }) => !before.has(of)).map(({ digest: _, ...removed }) => removed);
  }

  /** Whether this very text was emitted before, live or not. */
  wasEmitted(text: string): boolean {
    return this.#emitted.has(digest(text));
  }

  /** Whether a text says that it quotes what an emitted one did, in whatever words it goes on. */
  claimsEmitted(text: string): boolean {
    return this.#emitted.has(digest(claimOf(text)));
  }

  /** Forgets blocks whose place the conversation no longer has, as after a compaction or on another branch; the others stand in its order. */
  keepPlaced(placeOf: (anchor: Anchor) => number | undefined): void {
    const placed = this.#blocks.flatMap((block) => {
      const place = placeOf(block.anchor);
      return place === undefined ? [] : [{ block, place }];
    });
    this.#blocks = placed.toSorted((one, other) => one.place - other.place).map(({ block }) => block);
  }

  /** Where there are more tokens than the limit, forgets the oldest prompts' blocks until at most `kept` are left; what it forgot. */
  keepTokens(limit: number, kept = limit): RemovedBlock[] {
    const removed: RemovedBlock[] = [];
    if (this.tokens <= limit) return removed;
    while (this.#blocks.length > 0 && this.tokens > kept) {
      const oldest = this.#blocks[0]?.request;
      for (const block of this.#blocks) if (block.request === oldest) removed.push(...block.quotes.flatMap((quote) => removal(quote, 'budget')));
      this.#blocks = this.#blocks.filter((block) => block.request !== oldest);
    }
    return removed;
  }

  /** Forgets notes that point to something which the conversation no longer holds. */
  keepReferences(alsoHeld: readonly HeldSnippet[]): void {
    const places = new Set([...this.#quotes().flatMap(({ message: { snippet } }) => snippet ?? []), ...alsoHeld].map(placeName));
    this.take(({ message: { refersTo } }) => (refersTo?.every((held) => places.has(placeName(held))) === false ? 'reference' : undefined));
  }

  /** Forgets the blocks of all requests but one. */
  keepRequest(request: string): void {
    this.#blocks = this.#blocks.filter((block) => block.request === request);
  }

  /** Takes out what something forbids, by the code that it gives for it; the quotations taken out. */
  take(forbids: (quote: Quote) => string | undefined): RemovedBlock[] {
    const removed: RemovedBlock[] = [];
    for (const block of this.#blocks) {
      block.quotes = block.quotes.filter((quote) => {
        const reason = forbids(quote);
        if (reason !== undefined) removed.push(...removal(quote, reason));
        return reason === undefined;
      });
    }
    this.#blocks = this.#blocks.filter((block) => block.quotes.length > 0);
    return removed;
  }

  /** What the conversation holds and is still so. */
  held(): HeldSnippet[] {
    const held: HeldSnippet[] = [];
    for (const { message, knownHash } of this.#quotes()) {
      if (!message.snippet || knownHash !== message.snippet.hash) continue;
      const { path, hash, startLine, endLine } = message.snippet;
      held.push({ path, hash, startLine, endLine });
    }
    return held;
  }

  /** What has to be proven again; a change that was told already counts as the known state. */
  quoted(): QuotedSnippet[] {
    const found: QuotedSnippet[] = [];
    for (const { message, knownHash } of this.#quotes()) {
      if (!message.snippet || !knownHash) continue;
      const { snippetId, path, startLine, endLine, symbol } = message.snippet;
      found.push({ snippetId, path, hash: knownHash, startLine, endLine, symbol });
    }
    return found;
  }

  /** Takes in what a recheck found: revoked quotations leave at once, changed ones are known to be so. The quotations taken out. */
  apply({ changed, revoked }: RecheckResult): RemovedBlock[] {
    const rules = new Map(revoked.map(({ snippetId, path, rule }) => [`${snippetId}\0${path}`, `revoked:${rule}`]));
    const news = new Map(changed.map(({ path, newHash }) => [path, newHash]));
    const removed = this.take(({ message: { snippet } }) => snippet && rules.get(`${snippet.snippetId}\0${snippet.path}`));
    for (const quote of this.#quotes()) {
      const path = quote.message.snippet?.path;
      if (path !== undefined && news.has(path)) quote.knownHash = news.get(path);
    }
    return removed;
  }

  #quotes(): Quote[] {
    return this.#blocks.flatMap((block) => block.quotes);
  }
}

/** What a manifest is told of a message that leaves; nothing of a note. */
function removal({ message: { snippet } }: Quote, reason: string): RemovedBlock[] {
  return snippet ? [{ snippetId: snippet.snippetId, path: snippet.path, classification: snippet.classification, reason }] : [];
}

const placeName = ({ path, hash, startLine, endLine }: HeldSnippet) => `${hash} ${startLine}-${endLine} ${path}`;

/** Tells a text apart from every other. */
export const digest = (text: string) => createHash('sha256').update(text).digest('base64url');

/** The lines that say what is quoted: path, hash and lines. */
const claimOf = (text: string) => text.split('\n', 4).join('\n');
