// What happens before each model call: a new request is answered once, what was quoted is proven again after tools ran,
// and every live block stands where it stood.
import type { ExtensionContext } from '@earendil-works/pi-coding-agent';
import type { Project } from '../index.js';
import { answerTokens, projectTokens, roomTokens, tokensToKeep } from './budget.ts';
import { Deadline } from './deadline.ts';
import { destinationOf, follow } from './destination.ts';
import { fallbackManifest } from './fallback.ts';
import type { Anchor } from './ledger.ts';
import { place, placesOf, sendsOneMessage } from './placement.ts';
import { answered } from './present.ts';
import { currentRequest, lastToolCall, type Message, namedPaths, type Request } from './request.ts';
import type { Session } from './session.ts';

/** Milliseconds that a model call may wait at least where the host ends after one answer and the index is not complete yet. */
const COLD_ONE_SHOT_MS = 2_000;
/** What a sync may take of it; the answer needs the rest. */
const SYNC_SHARE = 0.6;
/** What the addon is told to be done earlier, so that its answer is here in time. */
const MARGIN_MS = 10;

/** The list to send instead of the host's own; undefined to leave that as it is. */
export async function answer(session: Session, own: Message[], ctx: ExtensionContext): Promise<Message[] | undefined> {
  if (!session.isOn || ctx.signal?.aborted) return undefined;
  session.follow(ctx.isProjectTrusted());
  const oneShot = ctx.mode === 'print' || ctx.mode === 'json';
  const { maxDelayMs } = session.settings;
  const deadline = new Deadline(oneShot && session.isCold && session.trusted ? Math.max(COLD_ONE_SHOT_MS, maxDelayMs) : maxDelayMs, ctx.signal);
  const budget = projectTokens(ctx.model?.contextWindow, session.settings.maxProjectTokens);
  dropWhatMustGo(session, own, ctx, budget);

  const request = currentRequest(own);
  const isNew = request !== undefined && !session.answered.has(request.key);
  if (request && (isNew || session.dirty)) {
    session.answered.add(request.key);
    const project = await deadline.within(session.project());
    if (project) {
      const task = { session, project, request, deadline, ctx, budget };
      if (isNew) await answerRequest(task, own);
      else await followTools(task, own);
    } else if (isNew && session.failure) {
      session.manifest = fallbackManifest(session, request, ctx, session.failure);
    }
  }
  if (ctx.signal?.aborted || session.ledger.blocks.length === 0) return undefined;
  const placed = place(own, session.ledger.blocks, sendsOneMessage(session.settings.oneMessage, ctx.model?.api));
  if (!placed) session.diagnose('placement', 'The quotations do not fit into this conversation; it was sent without them.');
  return placed;
}

interface Task {
  session: Session;
  project: Project;
  request: Request;
  deadline: Deadline;
  ctx: ExtensionContext;
  budget: number;
}

function dropWhatMustGo(session: Session, own: Message[], ctx: ExtensionContext, budget: number): void {
  const { ledger } = session;
  follow(session, destinationOf(ctx.model?.baseUrl));
  ledger.keepPlaced(placesOf(own));
  const room = roomTokens(ctx);
  ledger.keepTokens(Math.min(budget, room !== undefined && room < 0 ? Math.max(0, ledger.tokens + room) : budget));
}

async function answerRequest(task: Task, own: Message[]): Promise<void> {
  const { session, project, request, deadline, ctx, budget } = task;
  const { ledger } = session;
  const isPlaced = placesOf(own);
  ledger.keepTokens(tokensToKeep(ledger.tokens, budget));
  await refresh(task, { before: request.key });
  if (deadline.left === 0) return;
  try {
    const room = roomTokens(ctx);
    const retrieval = await deadline.within(
      project.retrieve({
        text: request.text,
        sessionId: ctx.sessionManager.getSessionId(),
        branchLeaf: ctx.sessionManager.getLeafId() ?? undefined,
        model: ctx.model && { provider: ctx.model.provider, id: ctx.model.id, contextWindow: ctx.model.contextWindow },
        destination: session.destination,
        privacy: session.settings.privacy,
        maxTokens: answerTokens(ledger.tokens, budget),
        roomTokens: room === undefined ? undefined : Math.max(0, room),
        held: [...ledger.held(), ...session.reads.held((call) => isPlaced({ after: call }))],
        mode: session.settings.mode === 'observer' ? 'observer' : 'managed',
        deadlineMs: Math.max(1, deadline.left - MARGIN_MS),
        signal: ctx.signal,
      }),
    );
    if (!retrieval) return;
    session.manifest = retrieval.manifest;
    session.pending = retrieval.manifest.id;
    if (session.settings.mode === 'observer') return;
    ledger.add({ before: request.key }, request.key, retrieval.messages);
    session.setStatus(answered(retrieval.messages));
  } catch (error) {
    session.diagnose('answer', error);
  } finally {
    if (session.isCold) session.syncInBackground();
  }
}

async function followTools(task: Task, own: Message[]): Promise<void> {
  const call = lastToolCall(own);
  if (task.session.ledger.blocks.length > 0) await refresh(task, call ? { after: call } : { before: task.request.key });
  else task.session.dirty = false;
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
        maxTokens: Math.max(0, budget - ledger.tokens),
        destination: session.destination,
        privacy: session.settings.privacy,
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
