import type { ContractSuite } from '../contract-suite.ts'
import { runTests } from '../run-tests.ts'
import { startTrino } from './trino-server.ts'

/** Tests whose statements Trino does here; in `npm test` DuckDB does them. Each compares with what one function makes of the same. */
const tests = [
  'test/functions/merge-by-query/keyed-loads.test.ts',
  'test/functions/pack-tables/pack-tables.test.ts',
]

/** The statements that we send to Athena, on the engine that Athena runs. */
export const trinoSuite: ContractSuite = {
  name: 'trino',
  run: async () => {
    const trino = await startTrino()
    if (typeof trino === 'string') return { skipped: trino }
    try {
      return await runTests(tests, { MILLRACE_TEST_TRINO: trino.url })
    } finally {
      await trino.stop()
    }
  },
}
