// The source trees of `npm run bench:symbols`: packages by name and version, fetched with their registries' own clients.

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
/** The sources that the Rust crates and Go modules of a registry come with. */
const crate = (name, version) => ({
  name: `${name}@${version}`,
  fetch: [
    'sh',
    '-c',
    `mkdir fetch fetch/src && touch fetch/src/lib.rs && printf '[package]\\nname = "fetch"\\nversion = "0.0.0"\\n[dependencies]\\n${name} = { version = "=${version}", default-features = false }\\n[workspace]\\n' > fetch/Cargo.toml && cd fetch && cargo vendor --quiet ../vendor > /dev/null && cd .. && mv vendor/${name} tree && rm -r fetch vendor`,
  ],
  unpack: 'true',
});
const go = (name, version) => ({
  name: `${name.replaceAll('/', '+')}@${version}`,
  fetch: ['sh', '-c', `printf 'module fetch\\ngo 1.21\\n' > go.mod && GOFLAGS=-modcacherw GOMODCACHE="$PWD/cache" go mod download ${name}@${version}`],
  unpack: 'true',
});

/** Per language. */
export const packages = {
  python: [python('celery', '5.4.0'), python('django', '5.0.6')],
  rust: [crate('tokio', '1.38.0'), crate('regex-automata', '0.4.7')],
  go: [go('github.com/gin-gonic/gin', 'v1.10.0'), go('github.com/spf13/cobra', 'v1.8.1')],
  typescript: [npm('rxjs', '7.8.1')],
  javascript: [npm('webpack', '5.92.0'), npm('express', '4.19.2')],
};
