// Consents to read a project, where the user wants to be asked: remembered outside of the project.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentFolder } from './settings.ts';

const file = () => join(agentFolder(), 'context-engine-consent.json');

/** The answers so far, by the path of the project; none if they cannot be read. */
function answers(): Record<string, unknown> {
  try {
    const read: unknown = JSON.parse(readFileSync(file(), 'utf8'));
    return typeof read === 'object' && read !== null ? (read as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** What the user said of a project; undefined if nobody asked yet. */
export function consentTo(project: string): boolean | undefined {
  const answer = answers()[project];
  return typeof answer === 'boolean' ? answer : undefined;
}

/** Remembers an answer. */
export function rememberConsent(project: string, consent: boolean): void {
  mkdirSync(agentFolder(), { recursive: true, mode: 0o700 });
  const temporary = `${file()}.${process.pid}`;
  writeFileSync(temporary, `${JSON.stringify({ ...answers(), [project]: consent }, null, 2)}\n`, { mode: 0o600 });
  renameSync(temporary, file());
}
