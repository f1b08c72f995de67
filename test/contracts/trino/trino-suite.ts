import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import type { ContractSuite, SuiteResult } from '../contract-suite.ts'
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
      return await runTests(trino.url)
    } finally {
      await trino.stop()
    }
  },
}

const report = z.object({ numPassedTests: z.number(), numFailedTests: z.number() })

const runTests = async (url: string): Promise<SuiteResult> => {
  const folder = await mkdtemp(join(tmpdir(), 'contracts-'))
  const file = join(folder, 'report.json')
  const given = ['vitest', 'run', '--config', 'test/vitest.config.ts', '--root', '.', '--maxWorkers=1']
  // A statement takes Trino seconds where it takes DuckDB milliseconds.
  const patient = ['--testTimeout=600000', '--hookTimeout=600000']
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile=${file}`]
  const child = spawn('npx', [...given, ...patient, ...reporters, ...tests], {
    env: { ...process.env, MILLRACE_TEST_TRINO: url },
    stdio: 'inherit',
  })
  await new Promise(resolve => child.once('exit', resolve))
  const found = report.safeParse(JSON.parse(await readFile(file, 'utf8').catch(() => '{}')))
  await rm(folder, { recursive: true, force: true })
  if (!found.success) return { passed: 0, failed: 1 }
  return { passed: found.data.numPassedTests, failed: found.data.numFailedTests }
}
