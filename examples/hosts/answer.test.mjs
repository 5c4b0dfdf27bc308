// A host's own vitest suite. `dataDirectory` keeps its indexes apart from those of the user.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openProject } from 'pi-context-engine';
import { afterAll, beforeAll, expect, test } from 'vitest';

let root;
let project;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'host-'));
  mkdirSync(join(root, 'project'));
  writeFileSync(join(root, 'project/price.ts'), 'export function grossPrice(net: number) {\n  return net * 1.19;\n}\n');
  project = await openProject({ path: join(root, 'project'), trusted: true, dataDirectory: join(root, 'indexes') });
  await project.sync();
});
afterAll(async () => {
  await project?.close();
  rmSync(root, { recursive: true, force: true });
});

test('the answer quotes the declaration', async () => {
  const { messages } = await project.retrieve({ text: 'what does grossPrice do?' });
  expect(messages.map(({ snippet }) => [snippet.path, snippet.startLine, snippet.endLine])).toEqual([['price.ts', 1, 3]]);
});

test('an aborted call rejects with a code', async () => {
  const call = project.retrieve({ text: 'what does grossPrice do?', signal: AbortSignal.abort() });
  await expect(call).rejects.toMatchObject({ code: 'E_CANCELLED' });
});
