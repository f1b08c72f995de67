import type { Differences } from '../contracts/run-tests.ts'
import { judgeSuite } from './judge-suite.ts'

/** What the tests of a Go package printed (`-test.v`). One that panics ends all, and what did not end has failed. */
export const judgeGoTests = (output: string, outOfScope: Differences) => {
  const named = (pattern: RegExp) => [...output.matchAll(pattern)].map(([, name = '']) => name)
  const begun = new Set(named(/^=== RUN +(\w+)$/gm))
  const skipped = new Set(named(/^--- SKIP: (\w+)/gm))
  const passed = new Set(named(/^--- PASS: (\w+)/gm))
  const failing = begun.difference(skipped).difference(passed)
  return judgeSuite({ ran: begun.size - skipped.size, failing, output }, outOfScope)
}
