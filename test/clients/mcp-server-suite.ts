import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { ContractSuite } from '../contracts/contract-suite.ts'
import { fetchPython } from '../contracts/implementations/cache.ts'
import type { Differences } from '../contracts/run-tests.ts'
import { startedInstallation } from '../smoke/installation.ts'
import { judgePytest } from './judge-pytest.ts'
import { asOneStack, STACK } from './one-stack.ts'

/** Of services that are not here at all. */
const elsewhere: Differences = {
  'clients/test_metastore.py': 'There is no metastore here.',
  'tools/semantic': 'There is no metastore here.',
  'clients/test_data_science.py': 'There are no data apps here.',
  'tools/test_data_apps.py': 'There are no data apps here.',
  'tools/test_doc.py': 'There is no AI service here.',
  'tools/test_storage_branches.py':
    'Their set-up runs a transformation in Python, and only the extractor runs here.',
}

const ai = 'There is no AI service here.'
const snowflake = 'It compares what Snowflake says or writes, and queries are run by DuckDB.'

const outOfScope: Differences = {
  'test_errors.py::TestHttpErrors::test_docs_api_empty_query_error': ai,
  'test_errors.py::TestHttpErrors::test_sql_api_invalid_query_error_snowflake': snowflake,
  'test_mcp_server.py::test_stdio_setup':
    'It starts the server without the environment that names our certificate.',
  'tools/components/test_tools.py::test_get_config_examples': ai,
  'tools/test_search.py::test_find_component_id': ai,
  'tools/test_sql.py::test_query_data': snowflake,
}

const fiveSeconds =
  'It starts the server in another process, and waits five seconds for it, whatever the machine.'
const byTime: Differences = {
  'test_mcp_server.py::test_remote_setup': fiveSeconds,
  'test_mcp_server.py::test_http_multiple_clients': fiveSeconds,
}

/** The integration tests of the MCP server, by TLS. */
export const mcpServerSuite: ContractSuite = {
  name: 'mcp-server',
  run: async () => {
    const sources = join(process.env['MILLRACE_SUITES'] ?? '', 'mcp-server')
    const isThere = await access(join(sources, 'integtests')).then(
      () => true,
      () => false,
    )
    if (!process.env['MILLRACE_SUITES'] || !isThere)
      return {
        skipped:
          'MILLRACE_SUITES names no folder with mcp-server, a copy of github.com/keboola/mcp-server: its package has no tests.',
      }
    const environment = await fetchPython([`${sources}[tests,integtests]`])
    if (!environment) return { skipped: 'Python 3.10 or newer could not bring what the MCP server needs.' }
    const service = await startedInstallation({ tlsName: STACK })
    try {
      const ignored = Object.keys(elsewhere).map(path => `--ignore=integtests/${path}`)
      const given = [
        '-m',
        'pytest',
        '-q',
        '-rA',
        '--tb=short',
        '-p',
        'no:cacheprovider',
        'integtests',
        ...ignored,
      ]
      const tests = spawn('python3', given, {
        cwd: sources,
        env: {
          ...(await asOneStack(environment, service)),
          PYTHONDONTWRITEBYTECODE: '1',
          INTEGTEST_POOL_STORAGE_API_URL: `https://connection.${STACK}`,
          INTEGTEST_STORAGE_TOKENS: service.token,
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const [output] = await Promise.all([text(tests.stdout), once(tests, 'exit')])
      for (const [path, reason] of Object.entries(elsewhere)) console.log(`  not run: ${path}. ${reason}`)
      for (const [name, reason] of Object.entries(byTime)) console.log(`  not counted: ${name}. ${reason}`)
      return judgePytest(output, { outOfScope, byTime })
    } finally {
      await service.close()
    }
  },
}
