import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    dir: 'test',
    include: ['**/*.test.ts'],
    // Two cores: more workers only make the embedded cloud slower for each other.
    maxWorkers: 2,
    // What is not about durability need not wait for the disk; tests that are say so themselves.
    env: { MILLRACE_DURABILITY: 'relaxed' },
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
