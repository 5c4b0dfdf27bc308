import { parseArgs } from 'node:util';

/** What the command line asks for. */
export interface Options {
  project: string;
  request: string;
  output: 'people' | 'json' | 'messages';
  full: boolean;
  dataDirectory?: string;
}

/** A command line that cannot be understood; the message says why. */
export class UsageError extends Error {}

export const HELP = `Usage: pi-context-engine <project> "<request>" [options]

Indexes the project, then prints the pieces of it that answer the request,
each proven against the live file. Naming the project is the consent to read it.

Options:
  --json                  everything as one JSON object, for machines
  --messages              exactly the messages that a model would be sent
  --full                  whole quotations instead of their first lines
  --data-directory DIR    where indexes are kept (default: the user's data directory)
  --help                  this text
  --version               the version

Exit codes: 0 done, also without evidence; 1 failed; 2 not understood; 130 interrupted.`;

/** Reads the arguments after the program's name. */
export function parseOptions(argv: string[]): Options | 'help' | 'version' {
  const { values, positionals } = read(argv);
  if (values.help) return 'help';
  if (values.version) return 'version';
  if (values.json && values.messages) throw new UsageError('--json and --messages exclude each other.');
  const [project, ...words] = positionals;
  const request = words.join(' ').trim();
  if (values['data-directory'] === '') throw new UsageError('--data-directory names no folder.');
  if (!project) throw new UsageError('The project and the request are missing.');
  if (!request) throw new UsageError('The request is missing.');
  const output = values.json ? 'json' : values.messages ? 'messages' : 'people';
  return { project, request, output, full: values.full === true, dataDirectory: values['data-directory'] };
}

function read(argv: string[]) {
  try {
    return parseArgs({
      args: argv,
      allowPositionals: true,
      options: {
        json: { type: 'boolean' },
        messages: { type: 'boolean' },
        full: { type: 'boolean' },
        'data-directory': { type: 'string' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean' },
      },
    });
  } catch (error) {
    // The first sentence; the rest is advice that does not fit every option.
    const [sentence] = (error instanceof Error ? error.message : String(error)).split('. ');
    throw new UsageError(`${sentence?.replace(/\.$/, '')}.`);
  }
}
