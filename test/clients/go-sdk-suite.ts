import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { ContractSuite } from '../contracts/contract-suite.ts'
import { fetchGoTests } from '../contracts/implementations/cache.ts'
import type { Differences } from '../contracts/run-tests.ts'
import { startedInstallation } from '../smoke/installation.ts'
import { judgeGoTests } from './judge-go-tests.ts'

const MODULE = {
  path: 'github.com/keboola/keboola-sdk-go/v2',
  version: 'v2.21.0',
  /** As `go.sum` has them: of the module, and of its `go.mod`. */
  sums: [
    'h1:E3BARR14abNwc8rMEtNRLQNv9AloRXzMGCTSyEKUjxg=',
    'h1:zpTnNSewMw0zlo7lHEdUKoFBocPOf05eq1sp0wGookU=',
  ],
  testedPackage: './pkg/keboola',
} as const

/** They would end the process: they need what is not here at all. */
const elsewhere: Differences = {
  'TestNotification.*': 'There is no notification service here.',
  'Test.*EditorSession.*': 'There is no editor service here.',
  TestCleanProject: 'It asks the notification service first.',
  TestIndexComponents_WithoutToken: 'It asks connection.keboola.com.',
}

const workspaces = 'Workspaces only read here: 501 says what to do instead (docs/api-coverage.md).'
const bigQuery = 'It wants a project on BigQuery.'
const words = 'It compares words of the hosted runner, which has no configuration without a container.'

const outOfScope: Differences = {
  TestConfigWorkspacesCreateAndListSnowflake: workspaces,
  TestStorageWorkspacesCreateAndDeleteSnowflake: workspaces,
  TestStorageWorkspaceUnload: workspaces,
  TestStorageWorkspacesCreateWrongBigQuery: bigQuery,
  TestCreateTableDefinitionWithBigQuery: bigQuery,
  TestCreateTableDefinition_TimePartitioning: bigQuery,
  TestCreateTableDefinition_Clustering: bigQuery,
  TestCreateTableDefinition_RangePartitioning: bigQuery,
  TestFileOperations: 'It wants projects on Azure and Google Cloud, too.',
  TestEncryptRequestProjectScope: 'A secret is sealed for one component here, not for all of a project.',
  TestQueueApiCalls: words,
  TestDeprecatedQueueApiCalls: words,
}

/** The tests of the Go SDK, by TLS: they expect addresses of their host with https. */
export const goSdkSuite: ContractSuite = {
  name: 'go-sdk',
  run: async () => {
    const tests = await fetchGoTests(MODULE)
    if (!tests) return { skipped: `Go could not bring and compile ${MODULE.path}@${MODULE.version}.` }
    const service = await startedInstallation({ tlsName: 'localhost' })
    try {
      const { tls, token, account, folder } = service
      const projects = join(folder, 'projects.json')
      const host = new URL(tls?.api ?? '').host
      const project = { host, token, project: 1, stagingStorage: 's3', backend: 'snowflake' }
      await writeFile(projects, JSON.stringify([project]))
      const temporary = join(folder, 'tmp')
      await mkdir(temporary)
      const skip = ['-test.skip', `^(${Object.keys(elsewhere).join('|')})$`]
      const run = spawn(tests, ['-test.v', '-test.timeout', '15m', ...skip], {
        cwd: folder,
        env: {
          ...process.env,
          TEST_KBC_PROJECTS_FILE: projects,
          SSL_CERT_FILE: tls?.certificate,
          AWS_ENDPOINT_URL_S3: String(account?.s3['endpoint']),
          TMPDIR: temporary,
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const [output] = await Promise.all([text(run.stdout), once(run, 'exit')])
      for (const [names, reason] of Object.entries(elsewhere)) console.log(`  not run: ${names}. ${reason}`)
      return judgeGoTests(output, outOfScope)
    } finally {
      await service.close()
    }
  },
}
