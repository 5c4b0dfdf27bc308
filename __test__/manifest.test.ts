// The published schema holds for every manifest that there can be, in the API's form and in the stored one.
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { openProject, type Project } from '../index.js';
import { project, repository, scratch, write } from './fixtures.js';

const schema = JSON.parse(readFileSync(new URL('../schema/manifest.schema.json', import.meta.url), 'utf8'));
const validate = new Ajv2020({ strict: true, allErrors: true }).compile(schema);
/** What is wrong with a manifest, as JSON carries it. */
const faults = (manifest: unknown) => (validate(JSON.parse(JSON.stringify(manifest))) ? [] : validate.errors);

const source = (name: string) => `export function ${name}Total(customer: string): number {\n  return customer.length;\n}\n`;
const FILES = {
  ...Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`src/invoice${at}.ts`, source(`invoice${at}`)])),
  'rate.ts': '// [ds4:local-only]\nexport function discountRate() {\n  return 0.31\n}\n// [/ds4:local-only]\n',
};
const open = (place: { root: string; data: string }, more = {}) => openProject({ path: place.root, trusted: true, dataDirectory: place.data, ...more });
const model = { provider: 'p', id: 'm', contextWindow: 100_000 };

async function filled(place: { root: string; data: string }): Promise<Project> {
  const handle = await open(place);
  await handle.sync();
  return handle;
}

describe('the schema', () => {
  it('holds for answers: pending, completed once, observed, with what was left out and removed', async () => {
    const place = repository(FILES);
    write(place.root, { 'src/new.ts': source('fresh') });
    const handle = await filled(place);
    const ask = { text: 'how is the invoice total of a customer computed?', sessionId: 's', branchLeaf: 'l', model };
    const { manifest } = await handle.retrieve({ ...ask, maxResults: 2 });
    expect(manifest).toMatchObject({ status: 'pending', policyVersion: 1, mode: 'managed', sessionId: 's', provider: 'p', projectRevision: { dirty: true } });
    expect(manifest.included.length).toBeGreaterThan(0);
    expect(manifest.excluded.map(({ classification }) => classification)).toContain('unknown');
    expect(manifest.projectRevision?.changedPaths).toContain('src/new.ts');
    const removed = [{ snippetId: 'ab'.repeat(32), path: 'src/new.ts', classification: 'sensitive' as const, reason: 'revoked:privacy' }];
    const amended = await handle.amendManifest(manifest.id, { removed, gate: { requests: 1, blocks: 1, removed: 1, failures: 0 } });
    expect(await handle.recordUsage(manifest.id, { inputTokens: 10, cacheReadTokens: 5 })).toBe(true);
    expect(await handle.recordUsage(manifest.id, { inputTokens: 99 })).toBe(false);
    const completed = await handle.manifest(manifest.id);
    expect(completed).toMatchObject({ status: 'completed', actualTokens: 15, removed });
    const observed = (await handle.retrieve({ ...ask, mode: 'observer' })).manifest;
    const forbidden = (await handle.retrieve({ text: 'discountRate', privacy: { enabled: true } })).manifest;
    expect(forbidden.excluded).toMatchObject([{ classification: 'local-only', reasons: ['privacy'] }]);
    for (const one of [manifest, amended, completed, observed, forbidden]) expect(faults(one)).toEqual([]);
    await handle.close();
    // As it was stored.
    const again = await open(place);
    expect(await again.manifest(manifest.id)).toEqual({ ...completed, timings: expect.objectContaining({ rank: expect.any(Number) }) });
    expect(await again.manifest('unknown')).toBeNull();
    for (const one of await again.manifests(128)) expect(faults(one)).toEqual([]);
    await again.close();
  });

  it('holds for those that offer nothing: untrusted, disabled, refused, not indexed', async () => {
    const place = project(FILES);
    const handles = [openProject({ path: place.root, trusted: false }), open(place, { enabled: false }), open({ root: '/', data: scratch() }), open(place)];
    for (const handle of await Promise.all(handles)) {
      const { manifest } = await handle.retrieve({ text: 'invoice0Total', model });
      expect(faults(manifest)).toEqual([]);
      expect(manifest.included).toEqual([]);
      await handle.close();
    }
  });

  it('refuses what is no manifest', async () => {
    const handle = await filled(project(FILES));
    const { manifest } = await handle.retrieve({ text: 'invoice0Total' });
    await handle.close();
    for (const change of [{ text: 'x' }, { promptHash: 'x' }, { mode: 'other' }, { included: [{ kind: 'history' }] }, { budgetTokens: -1 }]) {
      expect(faults({ ...manifest, ...change })).not.toEqual([]);
    }
  });
});
