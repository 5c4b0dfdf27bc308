// Builds this machine's binary as a release does, with glibc's floor, into `target/portable/out`: `npm run test:portable`. Without its tools it does nothing.
import { execFileSync, spawnSync } from 'node:child_process';
import { GLIBC_FLOOR } from './binary.mjs';

const targets = { x64: 'x86_64-unknown-linux-gnu', arm64: 'aarch64-unknown-linux-gnu' };
const target = process.platform === 'linux' && process.report.getReport().header.glibcVersionRuntime && targets[process.arch];

if (!target) console.log(`No floor of glibc on ${process.platform} ${process.arch}.`);
else if (spawnSync('cargo-zigbuild', ['--version']).error) {
  const lack = 'cargo-zigbuild is missing: pip install --require-hashes --requirement release/requirements.txt';
  if (process.env.CI) throw new Error(lack);
  console.log(`Skipped, as ${lack}`);
} else {
  // A folder of its own: with another C compiler everything is compiled anew.
  const folders = ['--target-dir', 'target/portable', '--output-dir', 'target/portable/out', '--dts', 'index.d.ts'];
  const args = ['build', '-x', '--target', `${target}.${GLIBC_FLOOR}`, '--platform', '--release', '--no-js', '--no-const-enum', ...folders, '--', '--locked'];
  execFileSync('node_modules/.bin/napi', args, { stdio: 'inherit' });
}
