// The tools that a model calls itself: the same core, proof and rules as what is quoted without being asked for.
import type { AgentToolResult, ExtensionAPI, ExtensionContext, Theme } from '@earendil-works/pi-coding-agent';
import { Text } from '@earendil-works/pi-tui';
import { digest, type Shown } from './ledger.ts';
import { counted, visible } from './present.ts';
import type { Session } from './session.ts';
import { outline, read, search, type Told } from './tool-answers.ts';
import type { ToolName } from './tools.ts';

/** What the host keeps beside the text of a result: places for people, and the class of each quotation for the checks of later requests. */
export interface Details {
  summary: string;
  places: string[];
  quotes: Shown[];
}

const text = (description: string) => ({ type: 'string', description });
const line = (description: string) => ({ type: 'integer', minimum: 1, description });
const object = (properties: Record<string, object>, required: string[] = []) => ({ type: 'object', additionalProperties: false, properties, required });

interface ProjectTool {
  name: ToolName;
  doc: string;
  snippet: string;
  parameters: object;
  run: (asked: { session: Session; ctx: ExtensionContext; signal: AbortSignal | undefined }, given: Record<string, unknown>) => Promise<Told>;
}

const TOOLS: ProjectTool[] = [
  {
    name: 'project_search',
    doc: 'Search the project by meaning, names, paths or error text. Returns ranked quotations with path, lines, symbol and SHA-256.',
    snippet: 'Find the places of the project that matter to a question',
    parameters: object({ query: text('Words, names, paths or an error message'), limit: { type: 'integer', minimum: 1, maximum: 8 } }, ['query']),
    run: search,
  },
  {
    name: 'project_read',
    doc: 'Read lines of a project file by its path, or by the SHA-256 of a quotation; with both, says whether the file has changed since.',
    snippet: 'Read lines of a file by path or hash, told whether it changed since',
    parameters: object({ path: text('Relative to the project'), hash: text('SHA-256 seen before'), startLine: line('First line'), endLine: line('Last line') }),
    run: read,
  },
  {
    name: 'project_outline',
    doc: 'List the declarations of a file (path), or where a name is declared (name).',
    snippet: 'List the declarations of a file, or where a name is declared',
    parameters: object({ path: text('Relative to the project'), name: text('A simple or qualified name') }),
    run: outline,
  },
];

/** Registers the tools for the whole session, so that what the model is told of them never changes in it. */
export function registerTools(pi: ExtensionAPI, current: () => Session | undefined): void {
  for (const { name, doc, snippet, parameters, run } of TOOLS) {
    pi.registerTool({
      name,
      label: name,
      description: doc,
      promptSnippet: snippet,
      parameters,
      annotations: { readOnlyHint: true, openWorldHint: false },
      async execute(call, given, signal, _update, ctx) {
        const session = current();
        if (!session) return failed('The project is not open.');
        try {
          return result(session, call, await run({ session, ctx, signal }, given as Record<string, unknown>));
        } catch (error) {
          // Messages of the addon hold neither source nor request text.
          return failed(error instanceof Error ? error.message : String(error));
        }
      },
      renderCall: (given, theme) => new Text(`${theme.fg('toolTitle', theme.bold(name))} ${theme.fg('muted', visible(shownOf(given)))}`, 0, 0),
      renderResult: ({ details }, { expanded }, theme) => new Text(rendered(details as Details | undefined, expanded, theme), 0, 0),
    });
  }
}

function result(session: Session, call: string, told: Told): AgentToolResult<Details> {
  const quotes = told.quotes.map(({ text, classification, snippetId, path }) => ({ digest: digest(text), classification, snippetId, path }));
  session.ledger.show(quotes);
  session.reads.add(
    call,
    told.quotes.map(({ path, hash, startLine, endLine }) => ({ path, hash, startLine, endLine })),
  );
  for (const { path, hash } of told.quotes) session.seen(hash, path);
  return {
    content: [{ type: 'text', text: [told.head, ...told.quotes.map(({ text }) => text)].join('\n\n') }],
    details: { summary: told.summary, places: told.places, quotes },
  };
}

const failed = (message: string): AgentToolResult<Details> => ({
  content: [{ type: 'text', text: visible(message) }],
  details: { summary: message, places: [], quotes: [] },
  isError: true,
});

const shownOf = (given: unknown) =>
  Object.values((given ?? {}) as object)
    .map((value) => String(value).slice(0, 80))
    .join(' ');

function rendered(details: Details | undefined, expanded: boolean, theme: Theme): string {
  if (!details) return '';
  const { summary, places } = details;
  const shown = expanded ? places : places.slice(0, 3);
  const more = places.length - shown.length;
  const lines = [...shown.map((place) => `  ${visible(place)}`), ...(more > 0 ? [`  … ${counted(more, 'more line')}`] : [])];
  return [visible(summary), ...lines.map((line) => theme.fg('muted', line))].join('\n');
}
