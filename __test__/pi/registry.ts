// A package registry on the loopback interface that serves packed archives, so that npm and Pi install like from the public one.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Published {
  manifest: { name: string; version: string };
  archive: string;
}

export interface Registry {
  url: string;
  /** The paths that were asked for, in order. */
  asked: string[];
  close(): Promise<void>;
}

export async function startRegistry(packages: Published[]): Promise<Registry> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '/').slice(1);
    asked.push(path);
    const found = packages.find(({ manifest }) => path === manifest.name || path === `archives/${manifest.name}.tgz`);
    if (!found) return void response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"not found"}');
    const bytes = readFileSync(found.archive);
    if (path.startsWith('archives/')) return void response.end(bytes);
    const { manifest } = found;
    const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
    const dist = { tarball: `${url}archives/${manifest.name}.tgz`, integrity };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ name: manifest.name, 'dist-tags': { latest: manifest.version }, versions: { [manifest.version]: { ...manifest, dist } } }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    url,
    asked,
    close: () =>
      new Promise((closed) => {
        server.closeAllConnections();
        server.close(() => closed());
      }),
  };
}
