import type { ContractSuite } from './contract-suite.ts'

/** Runs all suites, or those that are asked for by name, and prints `N passed, N failed` in the end. */
export const runSuites = async (
  suites: readonly ContractSuite[],
  asked: readonly string[],
): Promise<void> => {
  const unknown = asked.filter(name => suites.every(suite => suite.name !== name))
  if (unknown.length > 0) {
    console.error(
      `There is no suite ${unknown.join(', ')}: there are ${suites.map(({ name }) => name).join(', ')}.`,
    )
    process.exitCode = 1
    return
  }
  const sum = { passed: 0, failed: 0 }
  for (const { name, run } of suites.filter(({ name }) => asked.length === 0 || asked.includes(name))) {
    const result = await run()
    if ('skipped' in result) {
      console.log(`${name}: skipped. ${result.skipped}`)
      continue
    }
    const { passed, failed, differing = 0 } = result
    console.log(`${name}: ${passed} passed, ${failed} failed, ${differing} different as listed`)
    sum.passed += passed
    sum.failed += failed
  }
  console.log(`${sum.passed} passed, ${sum.failed} failed`)
  process.exitCode = sum.failed === 0 ? 0 : 1
}
