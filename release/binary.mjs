// What a binary is and needs, read from its own bytes: `node release/binary.mjs PLATFORM FILE …` fails where a file is not for its platform.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The oldest glibc that a published binary may need: that of the oldest Node that the package supports. */
export const GLIBC_FLOOR = '2.28';

const MACHINES = { 62: 'x64', 183: 'arm64' };
const MACH_O = { 16777223: 'x64', 16777228: 'arm64' };
const PE = { 34404: 'x64', 43620: 'arm64' };
const SHT_DYNAMIC = 6;
const SHT_GNU_VERNEED = 0x6ffffffe;
const DT_NEEDED = 1n;

/** Format, processor, the shared libraries that are needed and, for ELF, the versions needed of them: `{ GLIBC: ['2.2.5', …] }`. Throws for another format. */
export function inspect(bytes) {
  const magic = bytes.readUInt32BE(0);
  if (magic === 0x7f454c46) return inspectElf(bytes);
  if (magic === 0xcffaedfe) return { format: 'Mach-O', cpu: MACH_O[bytes.readUInt32LE(4)], libraries: [], versions: {} };
  const header = magic >>> 16 === 0x4d5a ? bytes.readUInt32LE(0x3c) : 0;
  if (header && bytes.readUInt32BE(header) === 0x50450000) return { format: 'PE', cpu: PE[bytes.readUInt16LE(header + 4)], libraries: [], versions: {} };
  throw new Error('neither ELF, Mach-O nor PE, for 64 bits');
}

function inspectElf(bytes) {
  if (bytes[4] !== 2 || bytes[5] !== 1) throw new Error('an ELF file, but not one of 64 bits, little-endian');
  const [offset, size, count] = [Number(bytes.readBigUInt64LE(0x28)), bytes.readUInt16LE(0x3a), bytes.readUInt16LE(0x3c)];
  const sections = Array.from({ length: count }, (_, at) => {
    const from = offset + at * size;
    return {
      type: bytes.readUInt32LE(from + 4),
      start: Number(bytes.readBigUInt64LE(from + 0x18)),
      size: Number(bytes.readBigUInt64LE(from + 0x20)),
      link: bytes.readUInt32LE(from + 0x28),
    };
  });
  const text = (section, at) => {
    const start = sections[section.link].start + at;
    return bytes.toString('latin1', start, bytes.indexOf(0, start));
  };

  const libraries = [];
  for (const section of sections.filter(({ type }) => type === SHT_DYNAMIC)) {
    for (let at = section.start; at < section.start + section.size; at += 16) {
      if (bytes.readBigInt64LE(at) === DT_NEEDED) libraries.push(text(section, Number(bytes.readBigUInt64LE(at + 8))));
    }
  }
  const versions = new Map();
  for (const section of sections.filter(({ type }) => type === SHT_GNU_VERNEED)) {
    for (let at = section.start, next = 1; next; at += next) {
      for (let name = at + bytes.readUInt32LE(at + 8), left = bytes.readUInt16LE(at + 2); left > 0; left -= 1, name += bytes.readUInt32LE(name + 12)) {
        const [, family, version] = /^(\w+?)_([\d.]+)$/.exec(text(section, bytes.readUInt32LE(name + 8))) ?? [];
        if (family) versions.set(family, [...(versions.get(family) ?? []), version]);
      }
      next = bytes.readUInt32LE(at + 12);
    }
  }
  return {
    format: 'ELF',
    cpu: MACHINES[bytes.readUInt16LE(0x12)],
    libraries,
    versions: Object.fromEntries([...versions].map(([family, all]) => [family, [...new Set(all)].sort(byVersion)])),
  };
}

function byVersion(one, other) {
  const [left, right] = [one, other].map((version) => version.split('.').map(Number));
  for (let at = 0; at < Math.max(left.length, right.length); at += 1) {
    if (left[at] !== right[at]) return (left[at] ?? -1) - (right[at] ?? -1);
  }
  return 0;
}

/** Why a binary must not be published for a platform such as `linux-x64-gnu`; nothing if it may. */
export function refusal(platform, bytes, floor = GLIBC_FLOOR) {
  const [system, cpu, libc] = platform.split('-');
  const found = inspect(bytes);
  const format = { linux: 'ELF', darwin: 'Mach-O', win32: 'PE' }[system];
  if (found.format !== format) return `it is ${found.format}, not ${format}`;
  if (found.cpu !== cpu) return `it is for ${found.cpu ?? 'another processor'}, not for ${cpu}`;
  const newest = found.versions.GLIBC?.at(-1);
  if (libc === 'gnu' && newest && byVersion(newest, floor) > 0) return `it needs glibc ${newest}; ${floor} is the newest allowed`;
  if (libc === 'gnu' && !found.libraries.includes('libc.so.6')) return 'it is not linked to glibc';
  if (libc === 'musl' && (newest || found.libraries.includes('libc.so.6'))) return 'it is linked to glibc';
  return undefined;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [platform, ...files] = process.argv.slice(2);
  for (const file of files) {
    const bytes = readFileSync(file);
    const reason = refusal(platform, bytes);
    if (reason) throw new Error(`${file} is no binary for ${platform}: ${reason}.`);
    console.log(
      `${file}: ${platform}, ${
        Object.entries(inspect(bytes).versions)
          .map(([family, all]) => `${family} ${all.at(-1)}`)
          .join(', ') || 'no versions needed'
      }`,
    );
  }
}
