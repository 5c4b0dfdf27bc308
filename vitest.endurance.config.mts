import { defineConfig } from 'vitest/config';

// The long forms of the tests in `__test__/endurance`: the same files, with the counts that `counts.ts` gives for them.
export default defineConfig({
  test: {
    include: ['__test__/endurance/*.test.ts'],
    env: { ENDURANCE: 'long' },
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 1_800_000,
    hookTimeout: 60_000,
  },
});
