import type { SuiteResult } from '../contracts/contract-suite.ts'
import { type Check, countChecks } from './checks.ts'
import type { EngineRun } from './engine-run.ts'
import type { LakeTable } from './lake.ts'
import { queryTrino } from './trino-client.ts'
import { startTrino } from './trino-server.ts'

const settingsOf = (uri: string, storage: string, token: string): string =>
  Object.entries({
    'iceberg.catalog.type': 'rest',
    'iceberg.rest-catalog.uri': uri,
    'iceberg.rest-catalog.security': 'OAUTH2',
    'iceberg.rest-catalog.oauth2.token': token,
    'iceberg.rest-catalog.vended-credentials-enabled': 'true',
    'iceberg.security': 'read_only',
    'fs.native-s3.enabled': 'true',
    's3.region': 'us-east-1',
    's3.endpoint': storage,
    's3.path-style-access': 'true',
  })
    .map(([name, value]) => `"${name}" = '${value}'`)
    .join(', ')

const METADATA = [
  'snapshots',
  'history',
  'files',
  'manifests',
  'all_manifests',
  'entries',
  'all_entries',
  'partitions',
  'refs',
  'properties',
  'metadata_log_entries',
]

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Trino's values in the words of an export. */
const cellOf = (value: unknown, type: string): string => {
  if (value === null || value === undefined) return ''
  const text = String(value)
  if (type === 'timestamptz') return `${text.replace(' UTC', '')} +0000`
  if (type === 'double' || type === 'float') return String(Number(value))
  return text
}

const shown = (cell: string, type: string): string => {
  if (cell === '' || !/^(double|float|decimal|timestamp)/.test(type)) return cell
  if (type.startsWith('timestamp')) return cell.replace(/\.?0*( \+0000)?$/, '$1').replace(/:$/, ':00')
  return String(Number(cell))
}

const inOrder = (rows: string[][]): string => JSON.stringify(rows.map(row => JSON.stringify(row)).toSorted())

/** Every check of the Python scripts that Trino's SQL can say. */
export const askTrino = async (run: EngineRun): Promise<SuiteResult> => {
  const trino = await startTrino()
  if (typeof trino === 'string') return { skipped: trino }
  const { plan } = run
  const checks: Check[] = []
  const check = async (name: string, body: () => Promise<string>) => {
    const said = await body().then(
      words => ({ ok: true, said: words }),
      error => ({ ok: false, said: String(error).slice(0, 600) }),
    )
    checks.push({ check: name, ...said })
  }
  const ask = async (sql: string): Promise<unknown[][]> => queryTrino(trino.url, sql)
  const nameOf = ({ namespace, table }: Pick<LakeTable, 'namespace' | 'table'>, part = '') =>
    `millrace.${quoted(namespace)}.${quoted(table + part)}`
  try {
    for (const [name, token] of [
      ['millrace', plan.token],
      ['own', plan.restricted.token],
    ] as const)
      await ask(`CREATE CATALOG ${name} USING iceberg WITH (${settingsOf(plan.uri, plan.storage, token)})`)
    for (const table of plan.tables) {
      const types = table.columns.map(({ type }) => type)
      await check(`${table.name}: cells`, async () => {
        const names = table.columns.map(({ name }) => quoted(name)).join(', ')
        const found = (await ask(`SELECT ${names} FROM ${nameOf(table)}`)).map(row =>
          row.map((value, index) => shown(cellOf(value, types[index] ?? ''), types[index] ?? '')),
        )
        const wanted = table.rows.map(row => row.map((cell, index) => shown(cell, types[index] ?? '')))
        if (inOrder(found) !== inOrder(wanted))
          throw new Error(`${inOrder(found).slice(0, 250)} instead of ${inOrder(wanted).slice(0, 250)}`)
        return `${found.length} rows`
      })
      const { snapshots } = table
      await check(`${table.name}: time travel`, async () => {
        const first = quoted(table.columns[0]?.name ?? '')
        for (const [index, { id, timeMs, ids }] of snapshots.entries()) {
          const until = (snapshots[index + 1]?.timeMs ?? timeMs + 1) - 1
          const at = [timeMs, until].map(
            ms =>
              `TIMESTAMP AS OF TIMESTAMP '${new Date(ms).toISOString().replace('T', ' ').replace('Z', ' UTC')}'`,
          )
          for (const travel of [`VERSION AS OF ${id}`, ...at]) {
            const found = await ask(`SELECT ${first} FROM ${nameOf(table)} FOR ${travel}`)
            const cells = found.map(([cell]) => String(cell ?? '')).toSorted()
            if (JSON.stringify(cells) !== JSON.stringify(ids))
              throw new Error(`${travel}: ${cells.length} rows instead of ${ids.length}`)
          }
        }
        return `${snapshots.length} snapshots`
      })
    }
    const hasDropped = ({ name }: LakeTable) => name === 'columns dropped and added'
    for (const name of METADATA)
      for (const [of, tables] of [
        ['', plan.tables.filter(table => !hasDropped(table))],
        [', a column was dropped', plan.tables.filter(hasDropped)],
      ] as const)
        await check(`$${name}${of}`, async () => {
          let rows = 0
          for (const table of tables) rows += (await ask(`SELECT * FROM ${nameOf(table, `$${name}`)}`)).length
          return `${rows} rows`
        })
    await check('restricted token', async () => {
      const { namespace, table } = plan.restricted
      await ask(`SELECT * FROM own.${quoted(namespace)}.${quoted(table)}`)
      const refused = await ask(nameOf(plan.busy).replace('millrace', 'SELECT * FROM own')).catch(String)
      if (typeof refused !== 'string') throw new Error('reads a bucket that its token does not name')
      return refused.slice(0, 200)
    })
    await check('reads during loads', async () => {
      const counts: number[] = []
      for (let read = 0; read < plan.reads; read++)
        counts.push(Number((await ask(`SELECT count(*) FROM ${nameOf(plan.busy)}`))[0]?.[0]))
      if (counts.some((count, index) => count % 10 !== 0 || count < (counts[index - 1] ?? 0)))
        throw new Error(`read ${counts.join(', ')} rows`)
      return `${counts.length} reads, from ${counts[0]} to ${counts.at(-1)} rows`
    })
  } finally {
    await trino.stop()
  }
  return countChecks('trino', checks)
}
