import type { SuiteResult } from '../contracts/contract-suite.ts'
import type { Differences } from '../contracts/run-tests.ts'

/** What is listed of tests that were not run, or that end either way by the speed of the machine. */
export interface Known {
  readonly outOfScope: Differences
  readonly byTime: Differences
}

interface Outcome {
  /** What ran and was not skipped. */
  ran: number
  failing: ReadonlySet<string>
  output: string
}

/**
 * What a suite of others found, with the tests that are out of scope and why: one of them that passes is listed wrongly, and a run in
 * which nothing ran has shown nothing.
 */
export const judgeSuite = (
  { ran, failing, output }: Outcome,
  outOfScope: Differences,
): Exclude<SuiteResult, { skipped: string }> => {
  const unexpected = [...failing].filter(id => !(id in outOfScope))
  const passing = Object.keys(outOfScope).filter(id => !failing.has(id))
  if (unexpected.length > 0 || ran === 0) console.error(output)
  for (const id of unexpected) console.error(`  FAILED: ${id}`)
  for (const id of passing) console.error(`No longer out of scope, so no longer to be listed: ${id}`)
  for (const [id, reason] of Object.entries(outOfScope)) console.log(`  out of scope: ${id}. ${reason}`)
  return {
    passed: Math.max(0, ran - failing.size),
    failed: unexpected.length + passing.length + Number(ran === 0),
    differing: failing.size - unexpected.length,
  }
}
