import type { Differences } from '../contracts/run-tests.ts'
import { judgeSuite } from './judge-suite.ts'

/** What pytest printed (`-rA`) of tests below `integtests`. The parameters of a test are one test with it. */
export const judgePytest = (output: string, outOfScope: Differences) => {
  const named = (pattern: RegExp) => [...output.matchAll(pattern)].map(([, name = '']) => name)
  const passed = named(/^PASSED integtests\/([\w./:]+)/gm)
  const failing = new Set(named(/^(?:FAILED|ERROR) integtests\/([\w./:]+)/gm))
  const isCut = !/^\d+ \w+.* in [\d.]+s/m.test(output)
  if (isCut) failing.add('the run as a whole')
  return judgeSuite({ ran: passed.length + failing.size, failing, output }, outOfScope)
}
