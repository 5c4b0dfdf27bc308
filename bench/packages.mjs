// The source trees of `npm run bench:symbols`: packages by name and version, fetched with the clients of the npm registry, PyPI and crates.io.
// Many a package ships sources of other languages too, which is how those without a client here are covered.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const npm = (name, version) => ({
  name: `${name.replaceAll('/', '+')}@${version}`,
  fetch: ['npm', 'pack', '--silent', `${name}@${version}`],
  unpack: 'tar xzf "$1" && rm "$1"',
});
const python = (name, version) => ({
  name: `${name}@${version}`,
  fetch: ['python3', '-m', 'pip', 'download', '--quiet', '--no-deps', '--only-binary', ':all:', `${name}==${version}`],
  unpack: 'python3 -m zipfile -e "$1" . && rm "$1"',
});
const crate = (name, version) => ({
  name: `${name}@${version}`,
  fetch: [
    'sh',
    '-c',
    `mkdir fetch fetch/src && touch fetch/src/lib.rs && printf '[package]\\nname = "fetch"\\nversion = "0.0.0"\\n[dependencies]\\n${name} = { version = "=${version}", default-features = false }\\n[workspace]\\n' > fetch/Cargo.toml && cd fetch && cargo vendor --quiet ../vendor > /dev/null && cd .. && mv vendor/${name} tree && rm -r fetch vendor`,
  ],
  unpack: 'true',
});

const boring = crate('boring-sys', '4.9.1');
const reactNative = npm('react-native', '0.74.3');

/** Per language. */
const packages = {
  python: [python('celery', '5.4.0'), python('django', '5.0.6')],
  go: [boring],
  rust: [crate('tokio', '1.38.0'), crate('regex-automata', '0.4.7')],
  typescript: [npm('rxjs', '7.8.1'), npm('zod', '4.1.5'), npm('effect', '3.10.0')],
  javascript: [npm('webpack', '5.92.0'), npm('express', '4.19.2')],
  java: [reactNative],
  c: [crate('libgit2-sys', '0.17.0+1.8.1'), crate('luajit-src', '210.5.12+a4f56a4')],
  cpp: [crate('librocksdb-sys', '0.16.0+8.10.0')],
  csharp: [npm('react-native-windows', '0.74.15')],
  ruby: [reactNative],
  php: [npm('@wordpress/block-library', '9.0.0')],
  kotlin: [reactNative],
  bash: [npm('bats', '1.13.0'), reactNative],
  lua: [crate('luajit-src', '210.5.12+a4f56a4'), npm('typescript-to-lua', '1.26.0')],
};

/** The folders of a language's packages, fetched once. */
export function fetched(language) {
  const store = join(tmpdir(), 'bench-symbols-packages');
  return (packages[language] ?? []).map(({ name, fetch, unpack }) => {
    const folder = join(store, language, name);
    if (!existsSync(join(folder, '.done'))) {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { recursive: true });
      execFileSync(fetch[0], fetch.slice(1), { cwd: folder });
      for (const archive of readdirSync(folder)) execFileSync('sh', ['-c', unpack, 'unpack', archive], { cwd: folder });
      writeFileSync(join(folder, '.done'), '');
    }
    return folder;
  });
}
