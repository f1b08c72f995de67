import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import type { ContractSuite, SuiteResult } from '../contracts/contract-suite.ts'
import { fetchPython, fetchPythonSources } from '../contracts/implementations/cache.ts'
import type { Differences } from '../contracts/run-tests.ts'
import { startedInstallation } from '../smoke/installation.ts'
import { judgeUnittest } from './judge-unittest.ts'

const RELEASE = 'kbcstorage==0.12.0'
/** What its tests import beside what it needs itself. */
const packages = [RELEASE, 'responses==0.25.7', 'python-dotenv==1.1.1']

const workspaces = 'Workspaces only read here: 501 says what to do instead (docs/api-coverage.md).'

const outOfScope: Differences = {
  'tests.functional.test_workspaces.TestEndpoint.test_create_workspace': workspaces,
  'tests.functional.test_workspaces.TestEndpoint.test_load_tables_to_workspace': workspaces,
}

/** The Python client's unit and functional tests. */
export const pythonClientSuite: ContractSuite = {
  name: 'python-client',
  run: async () => {
    const [folder, environment] = await Promise.all([fetchPythonSources(RELEASE), fetchPython(packages)])
    if (!folder || !environment) return { skipped: `Python could not bring ${packages.join(', ')}.` }
    const service = await startedInstallation()
    try {
      return await run(folder, {
        ...environment,
        KBC_TEST_API_URL: service.url,
        KBC_TEST_TOKEN: service.token,
        SKIP_ABS_TESTS: '1',
        AWS_ENDPOINT_URL_S3: String(service.account?.s3['endpoint']),
      })
    } finally {
      await service.close()
    }
  },
}

const run = async (cwd: string, env: NodeJS.ProcessEnv): Promise<SuiteResult> => {
  const tests = spawn('python3', ['-m', 'unittest'], { cwd, env, stdio: ['ignore', 'inherit', 'pipe'] })
  const [output] = await Promise.all([text(tests.stderr), once(tests, 'exit')])
  return judgeUnittest(output, outOfScope)
}
