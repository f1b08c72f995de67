import type { ContractSuite } from './contract-suite.ts'
import { fetchPythonTools, pythonTools } from './implementations/cache.ts'
import { runTests } from './run-tests.ts'

/** The template, read by cfn-lint, which `npm test` runs only where it is installed, and by asl-validator. */
export const templateSuite: ContractSuite = {
  name: 'template',
  run: async () => {
    const env = await fetchPythonTools()
    if (env === undefined) return { skipped: `Python could not bring ${pythonTools.join(' and ')}.` }
    return runTests(['test/infra/checkers.test.ts'], env)
  },
}
