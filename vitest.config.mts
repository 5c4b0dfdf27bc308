import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['__test__/*.test.ts', '__test__/endurance/*.test.ts'],
    // A crash in native code then ends one file's process, not the run.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
