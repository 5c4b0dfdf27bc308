// What the tests in the real Pi share: one model server for a file's tests, and a fresh project and home for each.
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { freshPlace, type Place, removePlace } from './host.ts';
import { type Provider, startProvider } from './provider.ts';

export let provider: Provider;
export let place: Place;

/** Gives each test of the calling file a new place with these files, and a server that has heard nothing. */
export function freshForEach(files: Record<string, string>): void {
  beforeAll(async () => {
    provider = await startProvider();
  });
  afterAll(() => provider.close());
  beforeEach(() => {
    provider.bodies.length = 0;
    provider.raw.length = 0;
    provider.play([]);
    place = freshPlace(files);
  });
  afterEach(() => removePlace(place));
}
