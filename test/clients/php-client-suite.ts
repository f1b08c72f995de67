import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { ContractSuite } from '../contracts/contract-suite.ts'
import { startedInstallation } from '../smoke/installation.ts'
import { judgePhpunit } from './judge-phpunit.ts'
import { phpByTime, phpOutOfScope } from './php-client-differences.ts'

/** Side by side, each with a service of its own, since tests of one project read the same buckets. Longest first. */
const groups = [
  { paths: ['Common'], without: ['Common/BranchWorkspacesTest.php'] },
  {
    paths: [
      'Backend/CommonPart1',
      ...['FulltextSearch', 'ImportTreatValuesAsNull', 'ImportTypedTable', 'OrderBy', 'ProfileTable'].map(
        name => `Backend/Snowflake/${name}Test.php`,
      ),
    ],
    without: [],
  },
  {
    paths: [
      ...['TableDefinitionOperations', 'TableExport', 'Timestamp', 'WhereFilter'].map(
        name => `Backend/Snowflake/${name}Test.php`,
      ),
      ...['Backend/CommonPart2', 'Backend/Export', 'Options', 'S3Uploader', 'Downloader', 'Utils'],
      ...['AwsFileTest', 'CommonFileTest', 'CommonFilePermissionsTest'].map(name => `File/${name}.php`),
    ],
    without: [],
  },
] as const

const zstd = { paths: ['Backend/Snowflake/ExportParquetTest.php'], without: [] } as const

/** The functional tests of the PHP client that are about the storage of tables, files, configurations, branches and tokens. */
export const phpClientSuite: ContractSuite = {
  name: 'php-client',
  run: async () => {
    const folder = join(process.env['MILLRACE_SUITES'] ?? '', 'storage-api-php-client')
    const isThere = await access(join(folder, 'vendor/autoload.php')).then(
      () => true,
      () => false,
    )
    if (!process.env['MILLRACE_SUITES'] || !isThere)
      return {
        skipped:
          'MILLRACE_SUITES names no folder with storage-api-php-client, a copy of github.com/keboola/storage-api-php-client at v18.4.0 with its packages in vendor.',
      }
    const modules = await promisify(execFile)('php', ['-m']).then(
      ({ stdout }) => stdout,
      () => undefined,
    )
    const hasPhpunit = await promisify(execFile)('phpunit', ['--version']).then(
      () => true,
      () => false,
    )
    if (modules === undefined || !hasPhpunit)
      return { skipped: 'There is no php, or no phpunit 9, on the path.' }
    const hasZstd = /^zstd$/m.test(modules)
    if (!hasZstd) console.log('  not run: exports in Parquet. PHP has no extension zstd to read them.')
    const asked = hasZstd ? [...groups, zstd] : groups
    const reports = await Promise.all(asked.map(group => reportOf(folder, group)))
    for (const [name, reason] of Object.entries(phpByTime)) console.log(`  not counted: ${name}. ${reason}`)
    return judgePhpunit(reports, { outOfScope: phpOutOfScope, byTime: phpByTime })
  },
}

interface Group {
  readonly paths: readonly string[]
  readonly without: readonly string[]
}

/** Runs these tests as they are. The hosted service rounds numbers, and all roles have the one token that is here. */
const reportOf = async (folder: string, { paths, without }: Group): Promise<string> => {
  const service = await startedInstallation({ context: { numberRounding: 'round' } })
  try {
    const { url, token, account } = service
    const element = (path: string) => {
      const name = path.endsWith('.php') ? 'file' : 'directory'
      return `<${name}>${join(folder, 'tests', path)}</${name}>`
    }
    const excluded = without.map(path => `<exclude>${join(folder, 'tests', path)}</exclude>`)
    const configuration = join(service.folder, 'phpunit.xml')
    const report = join(service.folder, 'report.xml')
    await writeFile(
      configuration,
      `<phpunit bootstrap="${join(folder, 'tests/bootstrap.php')}"><testsuites><testsuite name="all">${[...paths.map(element), ...excluded].join('')}</testsuite></testsuites></phpunit>`,
    )
    const roles = ['', 'LINKING_', 'GUEST_', 'READ_ONLY_', 'SHARE_', 'DEFAULT_BRANCH_', 'REVIEWER_']
    const tests = spawn('phpunit', ['--configuration', configuration, '--log-junit', report], {
      cwd: folder,
      env: {
        ...process.env,
        ...Object.fromEntries(roles.map(role => [`STORAGE_API_${role}TOKEN`, token])),
        STORAGE_API_URL: url,
        STORAGE_API_MAINTENANCE_URL: url,
        AWS_ENDPOINT_URL_S3: String(account?.s3['endpoint']),
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    await once(tests, 'exit')
    return await readFile(report, 'utf8').catch(() => '')
  } finally {
    await service.close()
  }
}
