import { defineConfig } from 'vitest/config'
import { SlowestFirst } from './tools/slowest-first.ts'

export default defineConfig({
  test: {
    dir: 'test',
    include: ['**/*.test.ts'],
    globalSetup: ['test/one-temporary-folder.ts', 'test/keep-compiled-code.ts'],
    // Two cores: more workers only make the embedded cloud slower for each other.
    maxWorkers: 2,
    // A worker keeps its modules from file to file: loading the SDKs for each took a quarter of the whole run. So a file
    // leaves nothing behind that another would see: it stops what it starts, and gives back what it sets.
    isolate: false,
    sequence: { sequencer: SlowestFirst },
    env: {
      // What is not about durability need not wait for the disk; tests that are say so themselves.
      MILLRACE_DURABILITY: 'relaxed',
    },
    // Only to end what hangs: no test says how long something takes, and a busy machine takes many times as long.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // A second by default, in which a busy machine starts no thread.
    expect: { poll: { timeout: 300_000 } },
  },
})
