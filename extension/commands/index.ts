import type { ExtensionAPI, ExtensionCommandContext } from '@earendil-works/pi-coding-agent';
import type { Session } from '../session.ts';
import { excluded, explain, included, manifest, preview } from './answers.ts';
import { files, symbols, why } from './files.ts';
import { failure, type Report, show } from './report.ts';
import { type Asked, health, model, overview, privacy, project } from './state.ts';
import { forget, indexes, rebuildIndex } from './store.ts';

interface Command {
  run: (asked: Asked, argument: string) => Promise<Report> | Report;
  doc: string;
  /** What has to follow it. */
  argument?: string;
}

/** The subcommands of `/context`; the first is `/context` itself. */
const COMMANDS: Record<string, Command> = {
  '': { run: overview, doc: 'the state in a few lines' },
  project: { run: project, doc: 'the project, its Git state and its index' },
  manifest: { run: manifest, doc: 'the record of the last answer' },
  included: { run: included, doc: 'what was quoted last' },
  excluded: { run: excluded, doc: 'what was close, and why it was left out' },
  explain: { run: explain, doc: 'how the last answer was made, and what it cost' },
  preview: { run: preview, doc: 'what a request would quote', argument: '<request>' },
  files: { run: files, doc: 'files by language, and what is left out by rule, or by the one named' },
  why: { run: why, doc: 'whether a file is read, and why not', argument: '<path>' },
  symbols: { run: symbols, doc: 'declarations of a file or of a name', argument: '<file or name>' },
  health: { run: health, doc: 'what needs attention' },
  privacy: { run: privacy, doc: 'what may go where' },
  model: { run: model, doc: 'budget and calibration of the model' },
  'rebuild-index': { run: rebuildIndex, doc: 'forget what is indexed and build it anew' },
  indexes: { run: indexes, doc: 'what is stored of which project' },
  forget: { run: forget, doc: 'delete the stored index, of this project or of the one named' },
};
const NAMES = Object.keys(COMMANDS).filter(Boolean);

/** Registers `/context`. */
export function registerCommands(pi: ExtensionAPI, current: () => Session | undefined): void {
  pi.registerCommand('context', {
    description: 'What of the project goes into prompts, and why',
    getArgumentCompletions: (prefix) =>
      NAMES.filter((name) => name.startsWith(prefix.trimStart())).map((name) => {
        const { doc, argument } = COMMANDS[name] as Command;
        return { value: argument ? `${name} ` : name, label: argument ? `${name} ${argument}` : name, description: doc };
      }),
    handler: async (args, ctx) => {
      const session = current();
      if (session) await show(ctx, await run(session, args.trim(), ctx));
    },
  });
}

async function run(session: Session, args: string, ctx: ExtensionCommandContext): Promise<Report> {
  const [, name = '', rest = ''] = /^(\S*)\s*([\s\S]*)$/.exec(args) ?? [];
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) return failure(name.slice(0, 40), `No subcommand ${name.slice(0, 40)}. There are: ${NAMES.join(', ')}.`);
  if (command.argument && !rest) return failure(name, `Say /context ${name} ${command.argument}.`);
  try {
    await session.amendManifest();
    const open = await session.project();
    return await command.run({ session, ctx, open, status: await open?.status() }, rest);
  } catch (error) {
    return failure(name, error);
  }
}
