// What happens before each model call: a new request is answered once, what was quoted is proven again after tools ran,
// and every live block stands where it stood.
import type { ExtensionContext } from '@earendil-works/pi-coding-agent';
import type { Project } from '../index.js';
import { answerTokens, type Budget, budgetOf, isCounted, tokensToKeep } from './budget.ts';
import { measure } from './calibration.ts';
import { Deadline } from './deadline.ts';
import { destinationOf, follow } from './destination.ts';
import { fallbackManifest } from './fallback.ts';
import type { Anchor, Shown } from './ledger.ts';
import { place, placesOf, sendsOneMessage } from './placement.ts';
import { answered } from './present.ts';
import type { Details } from './project-tools.ts';
import { rebuiltBlocks } from './records.ts';
import { currentRequest, lastToolCall, type Message, namedPaths, type Request } from './request.ts';
import type { Session } from './session.ts';
import { privacyOf } from './settings.ts';
import { PROJECT_TOOLS } from './tools.ts';
import { objection } from './validate.ts';

/** Milliseconds that a model call may wait at least where the host ends after one answer and the index is not complete yet. */
const COLD_ONE_SHOT_MS = 2_000;
/** What a sync may take of it; the answer needs the rest. */
const SYNC_SHARE = 0.6;
/** What it may take to put back the quotations of an earlier process. */
const REBUILD_SHARE = 0.5;
/** What the addon is told to be done earlier, so that its answer is here in time. */
const MARGIN_MS = 10;

/** The list to send instead of the host's own; undefined to leave that as it is. */
export async function answer(session: Session, own: Message[], ctx: ExtensionContext): Promise<Message[] | undefined> {
  session.wasAsked = true;
  if (!session.isOn || ctx.signal?.aborted) return undefined;
  session.follow(ctx.isProjectTrusted());
  const oneShot = ctx.mode === 'print' || ctx.mode === 'json';
  const maxDelayMs = session.settings['context.maxDelayMs'];
  const deadline = new Deadline(oneShot && session.isCold && session.trusted ? Math.max(COLD_ONE_SHOT_MS, maxDelayMs) : maxDelayMs, ctx.signal);
  follow(session, destinationOf(ctx.model?.baseUrl));
  const { files } = session.ledger;
  session.ledger.keepPlaced(placesOf(own));

  if (session.hasTools) recallShown(session, own);
  if (session.mayRebuild) await rebuild(session, own, deadline, ctx);
  const size = await sizeOf(session, own, deadline, ctx);

  const request = currentRequest(own);
  const isNew = request !== undefined && !session.answered.has(request.key);
  if (request && isNew && session.settings['context.placement'] === 'latest') session.ledger.keepRequest(request.key);
  if (!session.injects && (isNew || session.dirty)) {
    if (request) session.answered.add(request.key);
    session.dirty = false;
    session.syncInBackground();
  } else if (request && (isNew || session.dirty)) {
    session.answered.add(request.key);
    const project = await deadline.within(session.project());
    if (project) {
      const task = { session, project, request, deadline, ctx, budget: budgetOf(session.settings, ctx, size) };
      if (isNew) await answerRequest(task, own);
      else await followTools(task, own);
    } else if (isNew) {
      session.manifest = fallbackManifest(session, request, ctx, session.failure ?? 'the project was not open in time');
      session.pending = session.manifest.id;
    }
  }
  if (ctx.signal?.aborted) return undefined;
  const sent = session.ledger.blocks.length > 0 ? send(session, own, ctx, size) : undefined;
  if (session.ledger.files !== files) session.setStatus(answered(session.ledger));
  return sent;
}

/** Puts back what an earlier process had put before the prompts, where it still holds: before this process's first request, or never. */
async function rebuild(session: Session, own: Message[], deadline: Deadline, ctx: ExtensionContext): Promise<void> {
  session.mayRebuild = false;
  const { settings, ledger } = session;
  if (!session.injects || !session.trusted || settings.mode !== 'managed' || settings['context.placement'] !== 'keep') return;
  const placeOf = placesOf(own);
  const project = await deadline.within(session.project());
  if (!project) return;
  const blocks = await rebuiltBlocks(session, project, ctx, (request) => placeOf({ before: request }) !== undefined);
  const milliseconds = Math.floor(deadline.left * REBUILD_SHARE);
  const recalled = deadline.within(session.reads.recall(session, ctx.cwd, own), milliseconds);
  const made = await Promise.all(blocks.map((block) => deadline.within(block, milliseconds)));
  await recalled.catch((error) => session.diagnose('reads', error));
  ledger.restore(made.filter((block) => block !== undefined));
  ledger.keepPlaced(placeOf);
  for (const { request } of ledger.blocks) session.answered.add(request);
}

/** Tokens of the conversation where the host does not know them; more than there is room for where they cannot be counted in time. */
async function sizeOf(session: Session, own: Message[], deadline: Deadline, ctx: ExtensionContext): Promise<number | undefined> {
  if (!session.injects || isCounted(ctx)) return undefined;
  session.ledger.uncount();
  return (await deadline.within(measure(own))) ?? Number.POSITIVE_INFINITY;
}

/** Learns again, as after a resume, what the results of our tools show. */
function recallShown(session: Session, own: Message[]): void {
  if (!session.trusted) return;
  for (const message of own) {
    if (message.role !== 'toolResult' || !PROJECT_TOOLS.has(message.toolName)) continue;
    const { quotes } = (message.details ?? {}) as Partial<Details>;
    if (Array.isArray(quotes)) session.ledger.show(quotes.filter(isShown));
  }
}

const isShown = (quote: Partial<Shown> | undefined): boolean =>
  [quote?.digest, quote?.classification, quote?.snippetId, quote?.path].every((value) => typeof value === 'string');

/** The conversation with the blocks that are live, if it is sound; else the host's own. */
function send(session: Session, own: Message[], ctx: ExtensionContext, size: number | undefined): Message[] | undefined {
  const { ledger, removed } = session;
  const { live, room } = budgetOf(session.settings, ctx, size);
  const makeRoom = (limit: number) => removed.push(...ledger.keepTokens(limit, Math.min(limit, tokensToKeep(live).kept)));
  makeRoom(live);
  // Where the conversation has outgrown its window, the oldest blocks make room for it.
  if (room !== undefined && size !== undefined) makeRoom(Math.max(0, room));
  else if (room !== undefined && room < 0) makeRoom(Math.max(0, ledger.tokens + room));
  const placeOf = placesOf(own);
  ledger.keepReferences(session.reads.held((call) => placeOf({ after: call }) !== undefined));
  const placed = place(own, ledger.blocks, sendsOneMessage(session.settings['context.oneMessage'], ctx.model?.api));
  const wrong = objection(own, placed, { tokens: ledger.tokens, uncounted: ledger.uncounted, live, room });
  if (wrong) session.fallBack(wrong);
  return wrong || ledger.blocks.length === 0 ? undefined : placed.messages;
}

interface Task {
  session: Session;
  project: Project;
  request: Request;
  deadline: Deadline;
  ctx: ExtensionContext;
  budget: Budget;
}

async function answerRequest(task: Task, own: Message[]): Promise<void> {
  const { session, project, request, deadline, ctx, budget } = task;
  const { ledger, settings } = session;
  const placeOf = placesOf(own);
  const { limit, kept } = tokensToKeep(budget.live);
  session.removed.push(...ledger.keepTokens(limit, kept));
  await refresh(task, { before: request.key });
  session.manifest = fallbackManifest(session, request, ctx, 'the time was up');
  session.pending = session.manifest.id;
  if (deadline.left === 0) return;
  try {
    const retrieval = await deadline.within(
      project.retrieve({
        text: request.text,
        sessionId: ctx.sessionManager.getSessionId(),
        branchLeaf: ctx.sessionManager.getLeafId() ?? undefined,
        model: ctx.model && { provider: ctx.model.provider, id: ctx.model.id, contextWindow: ctx.model.contextWindow },
        destination: session.destination,
        privacy: privacyOf(settings),
        maxResults: settings['project.maxResults'],
        maxTokens: answerTokens(ledger.tokens, budget.live),
        roomTokens: budget.room === undefined ? undefined : Math.max(0, Math.floor(budget.room) - ledger.uncounted),
        calibration: budget.calibration,
        held: [...ledger.held(), ...session.reads.held((call) => placeOf({ after: call }) !== undefined)],
        mode: settings.mode === 'observer' ? 'observer' : 'managed',
        ephemeral: session.isEphemeral,
        explain: true,
        deadlineMs: Math.max(1, deadline.left - MARGIN_MS),
        signal: ctx.signal,
      }),
    );
    if (!retrieval) return;
    session.manifest = retrieval.manifest;
    session.pending = retrieval.manifest.id;
    session.explained = { id: retrieval.manifest.id, files: retrieval.explained };
    if (settings.mode === 'observer') return;
    ledger.add({ before: request.key }, request.key, retrieval.messages);
    if (retrieval.messages.length > 0) session.unrecorded = request.key;
    for (const { snippet } of retrieval.messages) if (snippet) session.seen(snippet.hash, snippet.path);
    session.setStatus(answered(ledger));
  } catch (error) {
    session.diagnose('answer', error);
  } finally {
    if (session.isCold) session.syncInBackground();
  }
}

async function followTools(task: Task, own: Message[]): Promise<void> {
  const call = lastToolCall(own);
  if (task.session.ledger.blocks.length > 0) await refresh(task, call ? { after: call } : { before: task.request.key });
  else {
    task.session.dirty = false;
    if (task.session.hasTools) task.session.syncInBackground();
  }
}

/** Looks at the files again, then at what was quoted of them; a note on changes goes to the anchor. */
async function refresh({ session, project, request, deadline, ctx, budget }: Task, anchor: Anchor): Promise<void> {
  const { ledger } = session;
  try {
    await session.freshen(project, namedPaths(request.text), deadline, Math.floor(deadline.left * SYNC_SHARE));
  } catch (error) {
    session.diagnose('sync', error);
  }
  const snippets = ledger.quoted();
  if (snippets.length === 0) {
    session.dirty = false;
    return;
  }
  try {
    const result = await deadline.within(
      project.recheck({
        text: request.text,
        snippets,
        maxTokens: Math.max(0, budget.live - ledger.tokens),
        calibration: budget.calibration,
        destination: session.destination,
        privacy: privacyOf(session.settings),
        deadlineMs: Math.max(1, deadline.left - MARGIN_MS),
        signal: ctx.signal,
      }),
    );
    if (!result) throw new Error('Proving the quotations again took too long; they were taken out of the conversation.');
    session.removed.push(...ledger.apply(result));
    ledger.add(anchor, request.key, result.messages);
    session.dirty = false;
  } catch (error) {
    // What cannot be proven to be allowed still is not shown again.
    session.removed.push(...ledger.take(() => 'unproven'));
    session.diagnose('recheck', error);
  }
}
