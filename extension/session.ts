import type { ExtensionContext } from '@earendil-works/pi-coding-agent';
import type { ExplainedFile, GateCounts, Manifest, OpenOptions, Progress, Project, RemovedBlock } from '../index.js';
import { loadAddon } from './addon.ts';
import { consentTo } from './consent.ts';
import { Deadline } from './deadline.ts';
import type { Destination } from './destination.ts';
import { semanticOf } from './embedding.ts';
import { Ledger } from './ledger.ts';
import { indexing, visible } from './present.ts';
import { Reads } from './reads.ts';
import { resolveSettings, type Settings } from './settings.ts';

const STATUS_KEY = 'context-engine';
/** The status line when only the user can help. */
const ATTENTION = 'ctx ! /context health';
/** Hashes whose files are remembered. */
const MOST_PATHS = 1_000;
const REINSTALL = 'install pi-context-engine again, without omitting optional dependencies';

/** The state of one session of the host, from its start to its shutdown. Never outlives it: the host's objects are dead afterwards. */
export class Session {
  readonly mode: ExtensionContext['mode'];
  readonly cwd: string;
  /** Whether the host keeps nothing of this session: then neither do we. */
  readonly isEphemeral: boolean;
  readonly settings: Settings;
  readonly ledger = new Ledger();
  readonly reads = new Reads();
  /** Keys of the requests that were answered: each is once, also when it comes back after a compaction. */
  readonly answered = new Set<string>();
  /** Ids of manifests of requests that were only looked at. */
  readonly previews = new Set<string>();
  /** Whether a tool may have changed files since they were last looked at. */
  dirty = false;
  /** The newest manifest, and the id of one that waits for its reply. */
  manifest: Manifest | undefined;
  pending: string | undefined;
  /** What each feature added to the files of an answer, by its manifest's id. */
  explained: { id: string; files: ExplainedFile[] } | undefined;
  /** Settles when the newest reply's usage is recorded. */
  recording: Promise<unknown> = Promise.resolve();
  destination: Destination | undefined;
  /** The estimate of the request under way, for the calibration of its model. */
  estimate: Promise<number | undefined> | undefined;
  /** Whether the host has asked for a conversation yet: one that never does is too old. */
  wasAsked = false;
  /** What the user said where the settings want to be asked. */
  consent: boolean | undefined;
  /** What rules have taken out of the conversation, and what the checks of requests did, since a manifest was told last. */
  readonly removed: RemovedBlock[] = [];
  gate: GateCounts | undefined;
  /** The request whose block the host's session does not know of yet. */
  unrecorded: string | undefined;
  /** The oldest prompt whose quotations the host's session knows to be live; empty if there is none. */
  recordedOldest = '';
  /** Whether the conversation may hold prompts whose blocks this process has not made, as after a resume. */
  mayRebuild = true;
  /** Why the newest answer was not used after all. */
  fallback: string | undefined;
  /** Why the project could not be opened, and what the user can do about it. */
  failure: string | undefined;
  remedy = '';
  #amended: Promise<void> = Promise.resolve();
  #trusted = false;
  #warm = false;
  #closed = false;
  #forgotten = false;
  #project: Promise<Project | undefined> | undefined;
  #sync: Promise<void> | undefined;
  #status: string | undefined;
  readonly #ui: ExtensionContext['ui'];
  readonly #hasUI: boolean;
  readonly #stop = new AbortController();
  readonly #forgetting = new AbortController();
  readonly #told = new Set<string>();
  readonly #paths = new Map<string, string>();

  constructor(ctx: ExtensionContext, hostSettings: unknown) {
    this.mode = ctx.mode;
    this.cwd = ctx.cwd;
    this.isEphemeral = ctx.sessionManager.getSessionFile() === undefined;
    this.consent = consentTo(ctx.cwd);
    this.#ui = ctx.ui;
    this.#hasUI = ctx.hasUI;
    const { settings, problems } = resolveSettings(hostSettings);
    this.settings = settings;
    for (const problem of problems) this.diagnose(problem, problem);
  }

  get isOn(): boolean {
    return this.settings['project.enabled'] && this.settings.mode !== 'off' && this.settings.delivery !== 'off';
  }

  /** Whether prompts are answered without being asked. */
  get injects(): boolean {
    return this.isOn && this.settings.delivery !== 'tools';
  }

  /** Whether the model has tools of ours. */
  get hasTools(): boolean {
    return this.isOn && this.settings.mode === 'managed' && this.settings.delivery !== 'inject';
  }

  get trusted(): boolean {
    return this.#trusted;
  }

  /** Whether no sync of this session has been complete yet. */
  get isCold(): boolean {
    return !this.#warm;
  }

  /** Whether the user has yet to be asked for consent. */
  get wantsConsent(): boolean {
    return this.isOn && this.settings['project.consent'] === 'ask' && this.consent === undefined;
  }

  /** Opens the project, in the background, on the host's word about trust and the user's consent; opens it anew when that has changed. */
  follow(hostTrusts: boolean): void {
    const trusted = hostTrusts && (this.settings['project.consent'] === 'host' || this.consent === true);
    if (this.#closed || this.#forgotten || !this.isOn || (this.#project && trusted === this.#trusted)) return;
    const before = this.#project;
    this.#trusted = trusted;
    this.#warm = false;
    this.removed.push(...this.ledger.take(() => 'trust'));
    this.ledger.allowShown(trusted);
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
      return await loadAddon().openProject(this.#openOptions());
    } catch (error) {
      this.failure = error instanceof Error ? error.message : String(error);
      const isOfSettings = (error as { code?: string }).code === 'E_INVALID_ARGUMENT';
      this.remedy = isOfSettings ? 'correct it under contextEngine in settings.json, then /reload' : REINSTALL;
      this.diagnose('open', error);
      this.setStatus(ATTENTION);
      return undefined;
    }
  }

  #openOptions(): OpenOptions {
    const { settings } = this;
    return {
      path: this.cwd,
      trusted: this.#trusted,
      trustSource: 'host',
      secrets: settings['privacy.secrets'],
      exclude: settings['project.exclude'],
      include: settings['project.include'],
      languages: settings['project.languages'],
      commits: settings['retrieval.commits'],
      semantic: semanticOf(settings, (problem) => this.diagnose('embedding', problem)),
      bounds: { maxFiles: settings['project.maxFiles'], maxFileBytes: settings['project.maxFileBytes'], maxTotalBytes: settings['project.maxTotalBytes'] },
    };
  }

  /** Lets go of the project until the next session, and deletes its index; false if there is none. */
  async forget(): Promise<boolean> {
    this.#forgotten = true;
    this.removed.push(...this.ledger.take(() => 'forgotten'));
    this.ledger.allowShown(false);
    const before = this.#project;
    this.#project = undefined;
    this.failure = 'its index was deleted; it is made again with the next session';
    this.remedy = 'start a new session with /new when you want it again';
    this.#forgetting.abort();
    await this.#sync;
    await (await before)?.close();
    this.setStatus(undefined);
    return loadAddon().removeIndex(this.cwd);
  }

  /** Forgets what is indexed and builds it anew. */
  async rebuild(): Promise<void> {
    const project = await this.#project;
    await this.#sync;
    const onProgress = (progress: Progress) => this.#show(indexing(progress));
    try {
      this.#warm = (await project?.rebuild({ onProgress, signal: this.#stop.signal }))?.complete === true;
    } finally {
      this.#show(this.#status);
    }
  }

  /** Waits for the sync under way, if there is one, and no longer than that. */
  async settled(milliseconds: number): Promise<void> {
    if (this.#sync) await new Deadline(milliseconds, this.#stop.signal).within(this.#sync);
  }

  /** Remembers which file a hash was shown for. */
  seen(hash: string, path: string): void {
    this.#paths.set(hash, path);
    const [oldest] = this.#paths.keys();
    if (this.#paths.size > MOST_PATHS && oldest) this.#paths.delete(oldest);
  }

  /** The file that a hash, or its beginning, was shown for. */
  pathOf(start: string): string | undefined {
    return this.#paths.get(start) ?? [...this.#paths].findLast(([hash]) => hash.startsWith(start))?.[1];
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
      const report = await project.sync({ onProgress, signal: AbortSignal.any([this.#stop.signal, this.#forgetting.signal]) });
      this.#warm ||= report.complete;
      void this.#embed(project);
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
    if (report && report.indexed + report.removed > 0) void this.#embed(project);
  }

  /** Brings the vectors up to date without anybody waiting for it. */
  async #embed(project: Project): Promise<void> {
    if (this.#closed || !this.settings['retrieval.semantic']) return;
    try {
      const { reason } = await project.updateVectors({ signal: AbortSignal.any([this.#stop.signal, this.#forgetting.signal]) });
      if (reason && !reason.startsWith('busy:')) this.diagnose('embedding', `Requests are answered by their words alone: ${reason}. See /context project.`);
    } catch (error) {
      this.diagnose('embedding', error);
    }
  }

  /** Tells the newest manifest what became of the blocks since; done when all that was told before is there, too. */
  amendManifest(): Promise<void> {
    this.#amended = this.#amended.catch(() => {}).then(() => this.#amendManifest());
    return this.#amended;
  }

  async #amendManifest(): Promise<void> {
    const { manifest, gate, fallback } = this;
    if (!manifest || (this.removed.length === 0 && !gate && !fallback)) return;
    const removed = this.removed.splice(0);
    this.gate = undefined;
    this.fallback = undefined;
    const amended = await (await this.#project)?.amendManifest(manifest.id, { removed, gate, fallback });
    // One that was made without an open project is held here alone.
    const local = (): Manifest => ({
      ...manifest,
      removed: [...manifest.removed, ...removed],
      gate: sum(manifest.gate, gate),
      ...(fallback && { mode: 'fallback', modeReason: fallback }),
    });
    if (this.manifest?.id === manifest.id) this.manifest = amended ?? local();
  }

  /** Sends the host's own conversation, now and until the next answer, and says why. */
  fallBack(code: string): void {
    this.removed.push(...this.ledger.take(() => `fallback:${code}`));
    this.fallback = `validation:${code}`;
    this.setStatus(undefined);
    this.diagnose('placement', `The quotations do not fit into this conversation (${code}); it was sent without them.`);
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
    say({ ui: this.#ui, hasUI: this.#hasUI }, message ?? String(error));
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

/** Tells the user one line. */
export function say({ ui, hasUI }: Pick<ExtensionContext, 'ui' | 'hasUI'>, text: string): void {
  const line = `pi-context-engine: ${visible(text)}`;
  try {
    if (hasUI) ui.notify(line, 'warning');
    else console.error(line);
  } catch {
    // The host has left this session.
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
