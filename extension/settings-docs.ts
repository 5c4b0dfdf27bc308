// The settings for editors and for readers, made from the table.
import { allowed, type Kind, ROWS } from './settings-table.ts';

/** The JSON schema of what stands under the extension's key. */
export function settingsSchema(): Record<string, unknown> {
  const top: Group = {};
  for (const [key, row] of ROWS) {
    const schema = { ...schemaOf(row.kind), default: row.default, description: `${capital(row.doc)}.` };
    const groups = key.split('.');
    const name = groups.pop() as string;
    const within = groups.reduce((outer, group) => {
      outer[group] ??= { type: 'object', additionalProperties: false, properties: {} };
      return (outer[group] as { properties: Group }).properties;
    }, top);
    within[name] = schema;
  }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Settings of pi-context-engine: the value of contextEngine in settings.json of Pi',
    type: 'object',
    additionalProperties: false,
    properties: top,
  };
}

type Group = Record<string, unknown>;

function schemaOf(kind: Kind): Record<string, unknown> {
  switch (kind.is) {
    case 'switch':
      return { type: 'boolean' };
    case 'whole':
      return { type: 'integer', minimum: kind.least, maximum: kind.most };
    case 'word':
      return { enum: kind.words };
    case 'words':
      return { type: 'array', items: { enum: kind.words } };
    case 'text':
      return { type: 'string' };
    case 'texts':
      return { type: 'array', items: { type: 'string' } };
    case 'map':
      return { type: 'object', additionalProperties: { type: 'string' } };
  }
}

/** The table in Markdown. */
export function settingsTable(): string {
  const head = ['key', 'default', 'allowed', 'a project', 'what'];
  const rows = ROWS.map(([key, row]) => [`\`${key}\``, `\`${JSON.stringify(row.default)}\``, allowed(row.kind), row.project, row.doc]);
  const widths = head.map((name, at) => Math.max(...[head, ...rows].map((row) => row[at]?.length ?? name.length)));
  const line = (cells: string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  return [line(head), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rows.map(line)].join('\n');
}

const capital = (text: string) => text.replace(/^`?[a-z]/, (start) => start.toUpperCase());
