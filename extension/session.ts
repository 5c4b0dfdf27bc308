import type { ExtensionContext } from '@earendil-works/pi-coding-agent';
import type { GateCounts, Manifest, Progress, Project, RemovedBlock } from '../index.js';
import { loadAddon } from './addon.ts';
import type { Deadline } from './deadline.ts';
import type { Destination } from './destination.ts';
import { Ledger } from './ledger.ts';
import { indexing, visible } from './present.ts';
import { Reads } from './reads.ts';
import { resolveSettings, type Settings } from './settings.ts';

const STATUS_KEY = 'context-engine';

/** The state of one session of the host, from its start to its shutdown. Never outlives it: the host's objects are dead afterwards. */
export class Session {
  readonly mode: ExtensionContext['mode'];
  readonly settings: Settings;
  readonly ledger = new Ledger();
  readonly reads = new Reads();
  /** Keys of the requests that were answered: each is once, also when it comes back after a compaction. */
  readonly answered = new Set<string>();
  /** Whether a tool may have changed files since they were last looked at. */
  dirty = false;
  /** The newest manifest, and the id of one that waits for its reply. */
  manifest: Manifest | undefined;
  pending: string | undefined;
  /** Settles when the newest reply's usage is recorded. */
  recording: Promise<unknown> = Promise.resolve();
  destination: Destination | undefined;
  /** What rules have taken out of the conversation, and what the checks of requests did, since a manifest was told last. */
  readonly removed: RemovedBlock[] = [];
  gate: GateCounts | undefined;
  /** Why the project could not be opened. */
  failure: string | undefined;
  #amended: Promise<void> = Promise.resolve();
  #trusted = false;
  #warm = false;
  #closed = false;
  #project: Promise<Project | undefined> | undefined;
  #sync: Promise<void> | undefined;
  #status: string | undefined;
  readonly #cwd: string;
  readonly #ui: ExtensionContext['ui'];
  readonly #hasUI: boolean;
  readonly #stop = new AbortController();
  readonly #told = new Set<string>();

  constructor(ctx: ExtensionContext, hostSettings: unknown) {
    this.mode = ctx.mode;
    this.#cwd = ctx.cwd;
    this.#ui = ctx.ui;
    this.#hasUI = ctx.hasUI;
    const { settings, problems } = resolveSettings(hostSettings);
    this.settings = settings;
    for (const problem of problems) this.diagnose(problem, problem);
  }

  get isOn(): boolean {
    return this.settings.enabled && this.settings.mode !== 'off';
  }

  get trusted(): boolean {
    return this.#trusted;
  }

  /** Whether no sync of this session has been complete yet. */
  get isCold(): boolean {
    return !this.#warm;
  }

  /** Opens the project, in the background, on the host's word about trust; opens it anew when that has changed. */
  follow(trusted: boolean): void {
    if (this.#closed || !this.isOn || (this.#project && trusted === this.#trusted)) return;
    const before = this.#project;
    this.#trusted = trusted;
    this.#warm = false;
    this.removed.push(...this.ledger.take(() => 'trust'));
    this.#project = this.#open(before);
    this.#project.catch(() => {});
    if (trusted) this.syncInBackground();
  }

  /** The open project; undefined where it cannot be had, which was said then. */
  async project(): Promise<Project | undefined> {
    return this.#project;
  }

  async #open(before: Promise<Project | undefined> | undefined): Promise<Project | undefined> {
    // Loading the binary is synchronous work, and the session must not wait for it.
    await new Promise((next) => setImmediate(next));
    this.failure = undefined;
    try {
      await (await before)?.close();
      if (this.#closed) return undefined;
      const { secrets, exclude } = this.settings;
      return await loadAddon().openProject({ path: this.#cwd, trusted: this.#trusted, trustSource: 'host', secrets, exclude });
    } catch (error) {
      this.failure = error instanceof Error ? error.message : String(error);
      this.diagnose('open', error);
      return undefined;
    }
  }

  /** Brings the index up to date without anybody waiting for it. */
  syncInBackground(): void {
    if (this.#closed || !this.#trusted || this.#sync) return;
    this.#sync = this.#syncFully().finally(() => {
      this.#sync = undefined;
    });
  }

  async #syncFully(): Promise<void> {
    try {
      const project = await this.#project;
      if (!project || this.#closed) return;
      const onProgress = (progress: Progress) => this.#show(indexing(progress));
      const report = await project.sync({ onProgress, signal: this.#stop.signal });
      this.#warm ||= report.complete;
    } catch (error) {
      this.diagnose('sync', error);
    } finally {
      this.#show(this.#status);
    }
  }

  /** Brings the index up to date as far as the time allows. */
  async freshen(project: Project, first: string[], deadline: Deadline, milliseconds: number): Promise<void> {
    if (!this.#trusted) return;
    // A sync that is under way looks at what the request names, and this call waits for it.
    const report = await deadline.within(project.sync({ deadlineMs: milliseconds, first, signal: deadline.signal }), milliseconds);
    this.#warm = report?.complete === true;
  }

  /** Tells the newest manifest what became of the blocks since; done when all that was told before is there, too. */
  amendManifest(): Promise<void> {
    this.#amended = this.#amended.catch(() => {}).then(() => this.#amendManifest());
    return this.#amended;
  }

  async #amendManifest(): Promise<void> {
    const { manifest, gate } = this;
    if (!manifest || (this.removed.length === 0 && !gate)) return;
    const removed = this.removed.splice(0);
    this.gate = undefined;
    const amended = await (await this.#project)?.amendManifest(manifest.id, { removed, gate });
    // One that was made without an open project is held here alone.
    const local = () => ({ ...manifest, removed: [...manifest.removed, ...removed], gate: sum(manifest.gate, gate) });
    if (this.manifest?.id === manifest.id) this.manifest = amended ?? local();
  }

  /** The one status line; undefined clears it. */
  setStatus(text: string | undefined): void {
    this.#status = text;
    this.#show(text);
  }

  #show(text: string | undefined): void {
    if (this.#closed) return;
    try {
      this.#ui.setStatus(STATUS_KEY, text);
    } catch {
      // The host has left this session.
    }
  }

  /** One line for each kind of failure and session. Messages of the addon hold neither source nor request text. */
  diagnose(kind: string, error: unknown): void {
    const { code, message } = typeof error === 'string' ? { code: undefined, message: error } : (error as { code?: string; message?: string });
    if (this.#closed || this.#told.has(kind) || code === 'E_CANCELLED' || code === 'E_CLOSED') return;
    this.#told.add(kind);
    const line = `pi-context-engine: ${visible(message ?? String(error))}`;
    try {
      if (this.#hasUI) this.#ui.notify(line, 'warning');
      else console.error(line);
    } catch {
      // The host has left this session.
    }
  }

  /** Ends all work of this session; waits for it. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#show(undefined);
    this.#closed = true;
    this.#stop.abort();
    this.ledger.take(() => 'closed');
    try {
      await (await this.#project)?.close();
    } catch {
      // Nothing is left to do for a project that does not close.
    }
  }
}

/** Counts of checks, added up. */
export function sum(one: GateCounts, other: GateCounts | undefined): GateCounts {
  if (!other) return one;
  return {
    requests: one.requests + other.requests,
    blocks: one.blocks + other.blocks,
    removed: one.removed + other.removed,
    failures: one.failures + other.failures,
  };
}
