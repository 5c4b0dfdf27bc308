// Who makes vectors, as the user's settings name it: a folder with a static model, or an endpoint in the form of OpenAI's.
import { basename } from 'node:path';
import type { SemanticOptions } from '../index.js';
import { destinationOf } from './destination.ts';
import { privacyOf, type Settings } from './settings.ts';

/** How the addon finds closeness in meaning; undefined where it is off, and where `complain` is told what is missing. */
export function semanticOf(settings: Settings, complain: (problem: string) => void): SemanticOptions | undefined {
  if (!settings['retrieval.semantic']) return undefined;
  const { folder, url, provider, model, dimensions, ...bounds } = embeddingOf(settings);
  const lack = (folder === '') === (url === '') ? 'needs either folder or url' : /^[^/]+$/.test(provider) ? undefined : 'needs a provider, a name without /';
  if (lack) {
    complain(`Requests are answered by their words alone: retrieval.embedding ${lack}.`);
    return undefined;
  }
  const profile = { provider, model: model || basename(folder) || 'default', dimensions, privacy: privacyOf(settings), ...bounds };
  if (folder) return { ...profile, folder };
  return { ...profile, destination: destinationOf(url), embed: (texts) => embed(url, profile.model, keyOf(settings), bounds.timeoutMs, texts) };
}

const embeddingOf = (settings: Settings) => ({
  folder: settings['retrieval.embedding.folder'],
  url: settings['retrieval.embedding.url'],
  provider: settings['retrieval.embedding.provider'],
  model: settings['retrieval.embedding.model'],
  dimensions: settings['retrieval.embedding.dimensions'],
  remoteProfiles: settings['retrieval.embedding.remoteProfiles'],
  maxSources: settings['retrieval.embedding.maxSources'],
  candidatePool: settings['retrieval.embedding.candidatePool'],
  batchSize: settings['retrieval.embedding.batchSize'],
  queryCacheSize: settings['retrieval.embedding.queryCacheSize'],
  timeoutMs: settings['retrieval.embedding.timeoutMs'],
});

const keyOf = (settings: Settings): string | undefined => process.env[settings['retrieval.embedding.keyVariable']];

async function embed(url: string, model: string, key: string | undefined, milliseconds: number, input: string[]): Promise<number[][]> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
    body: JSON.stringify({ model, input, encoding_format: 'float' }),
    // Text goes where the profile says, and nowhere that an answer points to.
    redirect: 'error',
    signal: AbortSignal.timeout(milliseconds),
  });
  if (!response.ok) throw new Error(`The embedding endpoint answered ${response.status}.`);
  const { data } = (await response.json()) as { data: { index: number; embedding: number[] }[] };
  return data.sort((a, b) => a.index - b.index).map(({ embedding }) => embedding);
}
