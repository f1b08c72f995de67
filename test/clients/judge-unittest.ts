import type { Differences } from '../contracts/run-tests.ts'
import { judgeSuite } from './judge-suite.ts'

/** What Python's `unittest` printed. */
export const judgeUnittest = (output: string, outOfScope: Differences) => {
  const ran = Number(/^Ran (\d+) tests?/m.exec(output)?.[1] ?? 0)
  const skipped = Number(/skipped=(\d+)/.exec(output)?.[1] ?? 0)
  const reports = output.matchAll(/^(?:ERROR|FAIL): .*?\(([\w.]+)\).*$/gm)
  const failing = new Set([...reports].map(([, id = '']) => id))
  return judgeSuite({ ran: ran - skipped, failing, output }, outOfScope)
}
