import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

/** The host's own tools that change no file. */
const READ_ONLY = new Set(['read', 'grep', 'find', 'ls']);

const NAMES = ['project_search', 'project_read', 'project_outline'] as const;
/** The name of a tool of ours. */
export type ToolName = (typeof NAMES)[number];
export const PROJECT_TOOLS: ReadonlySet<string> = new Set(NAMES);

/** Whether a tool may have changed files: every one may that is not known, or declared, to only read. */
export function mayChangeFiles(pi: ExtensionAPI, name: string): boolean {
  if (READ_ONLY.has(name) || PROJECT_TOOLS.has(name)) return false;
  return pi.getAllTools().find((tool) => tool.name === name)?.annotations?.readOnlyHint !== true;
}
