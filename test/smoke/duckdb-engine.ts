import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { Skipped } from './run-steps.ts'

const EXTENSIONS = ['avro', 'httpfs', 'iceberg']
const CACHE = join(import.meta.dirname, '../../node_modules/.cache/millrace/duckdb')

/** From DuckDB's own server; where that cannot be reached, from the packages that PyPI has of the same files. */
const loadExtensions = async (engine: DuckDBConnection): Promise<void> => {
  const isInstalled = await engine
    .run(EXTENSIONS.map(name => `INSTALL ${name};`).join(' '))
    .then(() => true)
    .catch(() => false)
  if (isInstalled) {
    for (const name of EXTENSIONS) await engine.run(`LOAD ${name}`)
    return
  }
  const version = String((await engine.runAndReadAll('SELECT version()')).getRows()[0]?.[0])
  const folder = join(CACHE, version)
  const fileOf = (name: string): string =>
    join(folder, `duckdb_extension_${name}`, 'extensions', version, `${name}.duckdb_extension`)
  if (!EXTENSIONS.every(name => existsSync(fileOf(name)))) {
    const packages = EXTENSIONS.map(name => `duckdb-extension-${name}==${version.slice(1)}`)
    const install = [
      '-m',
      'pip',
      'install',
      '--quiet',
      '--no-deps',
      '--upgrade',
      '--target',
      folder,
      ...packages,
    ]
    await promisify(execFile)('python3', install).catch(error => {
      throw new Skipped(
        `DuckDB’s extension for Iceberg could not be had: ${String(error.message).slice(0, 200)}`,
      )
    })
  }
  for (const name of EXTENSIONS) await engine.run(`LOAD '${fileOf(name)}'`)
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** What DuckDB answers that knows the catalogue `lake` and a token, and nothing else. */
export const askDuckDb = async (
  { url, token }: { url: string; token: string },
  sql: string,
): Promise<{ version: string; rows: unknown[][] }> => {
  const instance = await DuckDBInstance.create(':memory:')
  const engine = await instance.connect()
  try {
    await loadExtensions(engine)
    await engine.run(`CREATE SECRET millrace (TYPE iceberg, TOKEN ${quoted(token)})`)
    const endpoint = quoted(`${url}/iceberg`)
    await engine.run(`ATTACH 'millrace' AS lake (TYPE iceberg, ENDPOINT ${endpoint}, SECRET millrace)`)
    const version = String((await engine.runAndReadAll('SELECT version()')).getRows()[0]?.[0])
    return { version, rows: (await engine.runAndReadAll(sql)).getRows() }
  } finally {
    engine.closeSync()
    instance.closeSync()
  }
}
