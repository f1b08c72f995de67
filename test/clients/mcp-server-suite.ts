import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdir, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { ContractSuite } from '../contracts/contract-suite.ts'
import { fetchPython } from '../contracts/implementations/cache.ts'
import type { Differences } from '../contracts/run-tests.ts'
import { startedInstallation } from '../smoke/installation.ts'
import { judgePytest } from './judge-pytest.ts'

const NAME = 'millrace.localhost'

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
  'tools/flow/test_tools.py::test_get_flow_schema':
    'It compares the schema that the hosted runner of flows publishes.',
  'tools/test_search.py::test_find_component_id': ai,
  'tools/test_sql.py::test_query_data': snowflake,
}

/**
 * The MCP server derives the hosts of services from the name of the API, and asks all of them at port 443. So the process is told, as its
 * machine's resolver would, that names below ours are this machine, and its port 443 the one that is served.
 */
const resolver = (port: string) => `
import socket

lookup, connect = socket.getaddrinfo, socket.socket.connect


def local_lookup(host, *given, **named):
    name = host.decode() if isinstance(host, bytes) else str(host)
    return lookup('127.0.0.1' if name.endswith('.${NAME}') else host, *given, **named)


def local_connect(self, address):
    return connect(self, ('127.0.0.1', ${port}) if address == ('127.0.0.1', 443) else address)


socket.getaddrinfo, socket.socket.connect = local_lookup, local_connect
`

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
    const service = await startedInstallation({ tlsName: NAME })
    try {
      const { tls, token, folder, account } = service
      const site = join(folder, 'site')
      await mkdir(site)
      await writeFile(join(site, 'sitecustomize.py'), resolver(new URL(tls?.api ?? '').port))
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
          ...environment,
          PYTHONPATH: [site, environment['PYTHONPATH']].join(delimiter),
          PYTHONDONTWRITEBYTECODE: '1',
          SSL_CERT_FILE: tls?.certificate,
          REQUESTS_CA_BUNDLE: tls?.certificate,
          AWS_ENDPOINT_URL_S3: String(account?.s3['endpoint']),
          INTEGTEST_POOL_STORAGE_API_URL: `https://connection.${NAME}`,
          INTEGTEST_STORAGE_TOKENS: token,
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const [output] = await Promise.all([text(tests.stdout), once(tests, 'exit')])
      for (const [path, reason] of Object.entries(elsewhere)) console.log(`  not run: ${path}. ${reason}`)
      return judgePytest(output, outOfScope)
    } finally {
      await service.close()
    }
  },
}
