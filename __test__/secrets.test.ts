// Both policies for files with secrets, as a host sees them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type OpenOptions, openProject } from '../index.js';
import { project, sha256 } from './fixtures.js';

// Put together here, so that no scanner takes this file for a leak.
const VALUE = ['k9X2m4', 'Qp7vR3sT'].join('');
const CONFIG = `export const user = 'ledger';\nexport const password = '${VALUE}';\nexport function connectLedger() {}\n`;

async function outcome(secrets: OpenOptions['secrets']) {
  const place = project({ 'src/config.ts': CONFIG, 'src/other.ts': 'export const other = 1;\n' });
  const handle = await openProject({ path: place.root, trusted: true, dataDirectory: place.data, ...(secrets ? { secrets } : {}) });
  const report = await handle.sync();
  const { messages, manifest } = await handle.retrieve({ text: 'how does connectLedger know its password?' });
  const hits = await handle.search({ text: 'connectLedger' });
  const read = await handle.read({ path: 'src/config.ts' }).catch((error: Error & { code: string }) => `${error.code}: ${error.message}`);
  await handle.close();
  const files = readdirSync(join(place.data, 'projects')).map((name) => readFileSync(join(place.data, 'projects', name)).toString('latin1'));
  const said = JSON.stringify({ report, messages, manifest, hits, read }) + files.join('');
  expect(said.toLowerCase()).not.toContain(VALUE.toLowerCase());
  return { report, messages, read };
}

it('keeps the file out by default, and names the rule', async () => {
  for (const policy of [undefined, 'exclude'] as const) {
    const { report, messages, read } = await outcome(policy);
    expect(report.excluded).toEqual({ 'secret/assignment': 1 });
    expect(messages).toEqual([]);
    expect(read).toBe('E_EXCLUDED: src/config.ts: kept out by the rule secret/assignment');
  }
});

it('keeps the file and takes the secret out, where the host says so', async () => {
  const { report, messages, read } = await outcome('redact');
  expect(report.excluded).toEqual({});
  expect(messages).toHaveLength(1);
  expect(messages[0]?.text).toContain('secret values in it are replaced by [redacted:…] markers');
  expect(messages[0]?.text).toContain(`SHA-256: ${sha256(CONFIG)}`);
  expect(read).toMatchObject({ text: CONFIG.replace(VALUE, '[redacted:secret/assignment]').trimEnd(), totalLines: 3, hash: sha256(CONFIG) });
});

it('knows no other policy', async () => {
  const place = project({ 'a.ts': 'export const a = 1;\n' });
  const opened = openProject({ path: place.root, trusted: true, dataDirectory: place.data, secrets: 'keep' as 'redact' });
  await expect(opened).rejects.toMatchObject({ code: 'E_INVALID_ARGUMENT', message: '`secrets` is "keep": give one of exclude, redact' });
});
