import { join } from 'node:path'
import type { ContractSuite } from './contract-suite.ts'
import { fetchJars, findJava } from './implementations/cache.ts'
import { startProcess } from './implementations/start-process.ts'
import { runTests } from './run-tests.ts'

const artifact = 'com.amazonaws:DynamoDBLocal:2.6.1'
const OLDEST_JAVA = 17

const tests = [
  'test/support/memory-item-table.property.test.ts',
  'test/functions/lib/storage',
  'test/functions/storage-api/metadata',
  'test/functions/storage-api/handler.test.ts',
  'test/functions/sweep-storage/handler.test.ts',
  'test/acceptance',
]

/** Amazon's own DynamoDB for one machine, in memory: all that the stores ask of their items. */
export const dynamoDbSuite: ContractSuite = {
  name: 'dynamodb',
  run: async () => {
    const java = await findJava(OLDEST_JAVA)
    if (java === undefined)
      return { skipped: `There is no Java ${OLDEST_JAVA} or newer, on which DynamoDB Local runs.` }
    const jars = await fetchJars(artifact)
    if (jars === undefined) return { skipped: `Maven could not bring ${artifact}.` }
    const program = ['-cp', join(jars, '*'), 'com.amazonaws.services.dynamodbv2.local.main.ServerRunner']
    const database = await startProcess('dynamodb-local', port => ({
      command: java,
      given: [...program, '-inMemory', '-disableTelemetry', '-port', String(port)],
    }))
    if (typeof database === 'string') return { skipped: database }
    try {
      return await runTests(tests, { MILLRACE_TEST_DYNAMODB: database.url })
    } finally {
      await database.stop()
    }
  },
}
