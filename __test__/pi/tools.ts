import { spawnSync } from 'node:child_process';

/** Whether a system tool is here. Where every test has to run (`CI` is set) its absence is a failure, not a reason to skip. */
export function has(tool: string, versionFlag = '--version'): boolean {
  const found = spawnSync(tool, [versionFlag]).error === undefined;
  if (!found && process.env.CI) throw new Error(`${tool} is missing: install it, or unset CI to skip the tests that need it.`);
  return found;
}
