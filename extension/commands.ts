import type { ExtensionAPI, ExtensionCommandContext } from '@earendil-works/pi-coding-agent';
import { overview } from './present.ts';
import type { Session } from './session.ts';

const WORDS = ['manifest'];

/** Registers `/context`. */
export function registerCommands(pi: ExtensionAPI, current: () => Session | undefined): void {
  pi.registerCommand('context', {
    description: 'Show what of the project goes into prompts, and why (manifest: the last record, as JSON)',
    getArgumentCompletions: (prefix) => WORDS.filter((word) => word.startsWith(prefix)).map((value) => ({ value, label: value })),
    handler: async (args, ctx) => {
      const session = current();
      const word = args.trim();
      if (!session) return;
      if (word !== '' && !WORDS.includes(word))
        return show(ctx, `Unknown: /context ${word}. Known: /context, /context ${WORDS.join(', /context ')}`, 'warning');
      try {
        show(ctx, word === 'manifest' ? await manifest(session) : overview(session, await (await session.project())?.status()));
      } catch (error) {
        show(ctx, `pi-context-engine: ${error instanceof Error ? error.message : String(error)}`, 'warning');
      }
    },
  });
}

async function manifest(session: Session): Promise<string> {
  await session.amendManifest();
  const project = await session.project();
  await session.recording;
  const newest = (session.trusted ? (await project?.manifests(1))?.[0] : undefined) ?? session.manifest;
  return newest ? JSON.stringify(newest, null, 2) : 'No manifest yet: it is made with the first prompt.';
}

function show(ctx: ExtensionCommandContext, text: string, type: 'info' | 'warning' = 'info'): void {
  if (ctx.hasUI) ctx.ui.notify(text, type);
  // Without a user interface the host sends this to standard error; standard output belongs to its answer.
  else console.log(text);
}
