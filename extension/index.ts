// The extension of the Pi coding agent. The factory only registers: everything starts with a session and ends with it.
import type { ExtensionAPI, ExtensionContext, ModelSelectEvent, ToolResultEvent } from '@earendil-works/pi-coding-agent';
import { answer } from './answer.ts';
import { registerCommands } from './commands/index.ts';
import { rememberConsent } from './consent.ts';
import { destinationOf, follow } from './destination.ts';
import { checkHost, lackOf } from './host.ts';
import { registerTools } from './project-tools.ts';
import { recordBlock } from './records.ts';
import { checkRequest } from './request-check.ts';
import { Session, say } from './session.ts';
import { SETTINGS_KEY } from './settings.ts';
import { mayChangeFiles } from './tools.ts';
import { recordUsage } from './usage.ts';

export default function contextEngine(pi: ExtensionAPI): void {
  let session: Session | undefined;

  /** A hook never throws: the host's own way goes on, and the session says once what failed. */
  const guarded =
    <E, R>(kind: string, handle: (session: Session, event: E, ctx: ExtensionContext) => Promise<R> | R) =>
    async (event: E, ctx: ExtensionContext): Promise<R | undefined> => {
      if (!session) return undefined;
      try {
        return await handle(session, event, ctx);
      } catch (error) {
        session.diagnose(kind, error);
        return undefined;
      }
    };

  pi.on('session_start', async (_event, ctx) => {
    await session?.close();
    const lack = lackOf(pi, ctx);
    if (lack) return say(ctx, lack);
    try {
      const settings = pi.getSettings() as unknown as Record<string, unknown>;
      session = new Session(ctx, { [SETTINGS_KEY]: settings[SETTINGS_KEY] });
      if (session.hasTools) registerTools(pi, () => session);
      const trusted = ctx.isProjectTrusted();
      if (trusted && session.wantsConsent && ctx.hasUI) void askForConsent(session, ctx);
      else session.follow(trusted);
    } catch (error) {
      session?.diagnose('start', error);
    }
  });
  pi.on('session_shutdown', async () => {
    const ending = session;
    session = undefined;
    await ending?.close();
  });
  pi.on(
    'context_with_system',
    guarded('answer', async (session, event: { messages: Parameters<typeof answer>[1] }, ctx) => {
      const messages = await answer(session, event.messages, ctx);
      return messages && { messages };
    }),
  );
  pi.on('before_provider_request', async ({ payload }, ctx) => session && checkRequest(session, payload, ctx));
  pi.on(
    'model_select',
    guarded('model', (session, { model }: ModelSelectEvent) => follow(session, destinationOf(model.baseUrl))),
  );
  pi.on(
    'tool_execution_end',
    guarded('tools', (session, event: { toolName: string }) => {
      session.dirty ||= mayChangeFiles(pi, event.toolName);
    }),
  );
  pi.on(
    'tool_result',
    guarded('reads', (session, event: ToolResultEvent, ctx) => {
      // Nobody waits for it: it only saves a repetition in a later prompt.
      if (event.toolName === 'read') void session.reads.note(session, ctx.cwd, event).catch((error) => session.diagnose('reads', error));
      return undefined;
    }),
  );
  pi.on(
    'message_end',
    guarded('usage', (session, event: Parameters<typeof recordUsage>[1], ctx) => {
      checkHost(session, event);
      recordUsage(session, event, ctx);
      return undefined;
    }),
  );
  pi.on(
    'turn_end',
    guarded('record', (session) => recordBlock(pi, session)),
  );
  pi.on(
    'session_tree',
    guarded('tree', (session) => {
      session.mayRebuild = true;
    }),
  );
  registerCommands(pi, () => session);
}

/** Asks once for each project; nobody waits for the answer. */
async function askForConsent(session: Session, ctx: ExtensionContext): Promise<void> {
  try {
    const text = `pi-context-engine indexes ${ctx.cwd} and quotes what of it your requests need. The index stays on this machine.`;
    session.consent = await ctx.ui.confirm('May this project be read?', text);
    rememberConsent(ctx.cwd, session.consent);
    session.follow(ctx.isProjectTrusted());
  } catch (error) {
    session.diagnose('consent', error);
  }
}
