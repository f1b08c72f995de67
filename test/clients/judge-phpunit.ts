import type { Differences } from '../contracts/run-tests.ts'
import { judgeSuite, type Known } from './judge-suite.ts'

const NAMESPACE = 'Keboola\\Test\\'
const testCase = /<testcase name="([^"]*)" class="([^"]*)"[^>]*?(?:\/>|>([\s\S]*?)<\/testcase>)/g

/** What PHPUnit wrote for machines (JUnit's XML). Tests are listed as `Class::test`, with all their sets of data, or by their class. */
export const judgePhpunit = (reports: readonly string[], { outOfScope, byTime }: Known) => {
  const cases = reports
    .flatMap(report => [...report.matchAll(testCase)])
    .map(([, name = '', className = '', inner = '']) => ({
      name: `${className.replace(NAMESPACE, '')}::${name}`,
      isSkipped: inner.includes('<skipped'),
      isFailing: /<(?:error|failure)\b/.test(inner),
    }))
    .filter(({ name, isSkipped }) => !isSkipped && entryOf(name, byTime) === undefined)
  const failing = cases.filter(({ isFailing }) => isFailing).map(({ name }) => name)
  const listed = failing.flatMap(name => {
    const entry = entryOf(name, outOfScope)
    return entry === undefined ? [] : [{ name, entry }]
  })
  const passing = Object.entries(outOfScope).filter(([key]) => !listed.some(({ entry }) => entry === key))
  const reasons = listed.map(({ name, entry }) => [name, outOfScope[entry] ?? ''] as const)
  return judgeSuite(
    { ran: cases.length, failing: new Set(failing), output: failing.join('\n') },
    Object.fromEntries([...reasons, ...passing]),
  )
}

/** The key under which a test is listed. */
const entryOf = (name: string, list: Differences): string | undefined => {
  const [test = ''] = name.split(' with data set')
  const [className = ''] = test.split('::')
  return [test, className].find(key => key in list)
}
