import { judgeSuite, type Known } from './judge-suite.ts'

/** What pytest printed (`-rA`) of tests below `integtests`. The parameters of a test are one test with it. */
export const judgePytest = (output: string, { outOfScope, byTime }: Known) => {
  const named = (pattern: RegExp) =>
    [...output.matchAll(pattern)].map(([, name = '']) => name).filter(name => !(name in byTime))
  const passed = named(/^PASSED integtests\/([\w./:]+)/gm)
  const failing = new Set(named(/^(?:FAILED|ERROR) integtests\/([\w./:]+)/gm))
  const isCut = !/^\d+ \w+.* in [\d.]+s/m.test(output)
  if (isCut) failing.add('the run as a whole')
  return judgeSuite({ ran: passed.length + failing.size, failing, output }, outOfScope)
}
