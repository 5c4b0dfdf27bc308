// How often each thing is done: in `npm test`, and in `npm run test:endurance`.
const LONG = process.env.ENDURANCE === 'long';

const count = (bounded: number, long: number) => (LONG ? long : bounded);

export const COUNTS = {
  /** Processes killed at a random point. */
  kills: count(12, 200),
  /** Sizes of a disk that becomes full. */
  disks: count(4, 24),
  /** Databases with flipped bits. */
  flips: count(30, 1_000),
  /** Most processes that start cold at once. */
  processes: count(4, 8),
  /** Rebuilds while a reader is held open. */
  rebuilds: 10,
  /** Worker threads ended in mid-work. */
  workers: count(20, 200),
  /** Processes that exit in mid-index. */
  exits: count(8, 200),
  /** Prompts of a long life, and changes of files between them. */
  prompts: count(120, 2_000),
  changes: count(300, 5_000),
  /** Replacements of a file while it is being quoted. */
  replacements: count(300, 5_000),
};
