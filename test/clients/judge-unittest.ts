import type { SuiteResult } from '../contracts/contract-suite.ts'
import type { Differences } from '../contracts/run-tests.ts'

/**
 * What Python's `unittest` printed, with the tests that are out of scope and why: one of them that passes is listed wrongly, and a run
 * without a summary has shown nothing.
 */
export const judgeUnittest = (output: string, outOfScope: Differences): SuiteResult => {
  const ran = Number(/^Ran (\d+) tests?/m.exec(output)?.[1] ?? 0)
  const skipped = Number(/skipped=(\d+)/.exec(output)?.[1] ?? 0)
  const reports = output.matchAll(/^(?:ERROR|FAIL): .*?\(([\w.]+)\).*$/gm)
  const failing = new Set([...reports].map(([, id = '']) => id))
  const unexpected = [...failing].filter(id => !(id in outOfScope))
  const passing = Object.keys(outOfScope).filter(id => !failing.has(id))
  if (unexpected.length > 0) console.error(output)
  for (const id of passing) console.error(`No longer out of scope, so no longer to be listed: ${id}`)
  for (const [id, reason] of Object.entries(outOfScope)) console.log(`  out of scope: ${id}. ${reason}`)
  return {
    passed: Math.max(0, ran - skipped - failing.size),
    failed: unexpected.length + passing.length + Number(ran === 0),
    differing: failing.size - unexpected.length,
  }
}
