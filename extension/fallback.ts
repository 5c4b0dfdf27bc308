import { createHash, randomUUID } from 'node:crypto';
import type { ExtensionContext } from '@earendil-works/pi-coding-agent';
import type { Manifest } from '../index.js';
import type { Request } from './request.ts';
import type { Session } from './session.ts';

/** The record of a request that the addon could not be asked about. Kept in memory. */
export function fallbackManifest(session: Session, request: Request, ctx: ExtensionContext, reason: string): Manifest {
  return {
    schemaVersion: 1,
    id: randomUUID().replaceAll('-', ''),
    status: 'pending',
    engineVersion: 'none',
    createdAt: Date.now(),
    sessionId: ctx.sessionManager.getSessionId(),
    branchLeaf: ctx.sessionManager.getLeafId() ?? undefined,
    provider: ctx.model?.provider,
    model: ctx.model?.id,
    contextWindow: ctx.model?.contextWindow,
    destination: session.destination ?? 'remote',
    budgetTokens: 0,
    calibration: 1,
    estimatedTokens: 0,
    promptHash: createHash('sha256').update(request.text).digest('hex'),
    mode: 'fallback',
    modeReason: `not active: ${reason}`,
    completeness: { complete: false, listed: 0, looked: 0, reason: 'the project is not open' },
    included: [],
    excluded: [],
    excludedMore: {},
    removed: [],
    gate: { requests: 0, blocks: 0, removed: 0, failures: 0 },
    projectSnippets: [],
    timings: {},
  };
}
