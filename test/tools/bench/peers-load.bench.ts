import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { quoteLiteral } from '#lib/table-engine/duckdb/sql.ts'
import { figure, median } from './figure.ts'
import { selectOrders } from './orders-sql.ts'
import { findPeers, peerProgram } from './peers.ts'
import { runMeasured } from './run-measured.ts'
import { startCloud } from './start-cloud.ts'

/**
 * A file of some 100 MB into a new table with a key, then 10,000 of its rows again by that key: `millrace upload` to an embedded cloud that runs, with command,
 * HTTP and syncing, against programs that write tables on the local disk, each with its start. The ratio is ours to theirs: below one, ours takes less time.
 */
const ROWS = Number(process.env['MILLRACE_BENCH_ROWS'] ?? 660_000)
const CHANGES = 10_000
const ROUNDS = 3
const cli = join(import.meta.dirname, '../../../cli/bin.js')
const arrow = 'pyarrow==26.0.1'

const peers = await findPeers([
  {
    name: 'dlt 1.31 to DuckDB',
    program: 'dlt_load.py',
    packages: ['dlt[duckdb,filesystem]==1.31.0', 'duckdb==2.0.1', arrow],
  },
  {
    name: 'PyIceberg 0.12',
    program: 'pyiceberg_load.py',
    packages: ['pyiceberg[pyarrow,sql-sqlite]==0.12.0'],
  },
  { name: 'delta-rs 1.6', program: 'delta_load.py', packages: ['deltalake==1.6.6', arrow] },
  { name: 'DuckDB 1.5', program: 'duckdb_load.py', packages: ['duckdb==1.5.5'] },
])

const folder = await mkdtemp(join(tmpdir(), 'millrace-bench-peers-'))
const cloud = await startCloud(join(folder, 'data'))
try {
  const all = join(folder, 'all.csv')
  const changed = join(folder, 'changed.csv')
  const instance = await DuckDBInstance.create(':memory:')
  const duckdb = await instance.connect()
  const write = (path: string, select: string) =>
    duckdb.run(`COPY (${select}) TO ${quoteLiteral(path)} (FORMAT csv, HEADER)`)
  await write(all, selectOrders(`SELECT range AS id FROM range(${ROWS})`))
  const ids = `SELECT DISTINCT (hash(range) % ${ROWS})::BIGINT AS id FROM range(${CHANGES})`
  await write(changed, selectOrders(ids, 1))
  duckdb.closeSync()
  instance.closeSync()

  const reach = { MILLRACE_DATA_DIR: join(folder, 'data') }
  const upload = async (file: string, table: string, given: readonly string[] = []) => {
    const words = [cli, 'upload', file, '--table', table, '--primary-key', 'id', ...given]
    return (await runMeasured(process.execPath, words, reach)).seconds
  }
  const ours: [number, number][] = []
  const theirs = new Map(peers.map(peer => [peer, [] as [number, number][]]))
  for (let round = 0; round < ROUNDS; round++) {
    const table = `in.c-bench.orders${round}`
    ours.push([await upload(all, table), await upload(changed, table, ['--incremental'])])
    for (const [peer, runs] of theirs) {
      const place = await mkdtemp(join(folder, 'peer-'))
      const load = async (file: string) =>
        (await runMeasured('python3', [peerProgram(peer), file, place], peer.env)).seconds
      runs.push([await load(all), await load(changed)])
      await rm(place, { recursive: true })
    }
  }
  const kinds = [
    `load ${ROWS.toLocaleString('en')} rows into a new table`,
    '10,000 rows into it by a key',
  ] as const
  for (const [index, what] of kinds.entries()) {
    const middle = (runs: [number, number][]): number => median(runs.map(run => run[index === 0 ? 0 : 1]))
    console.log(JSON.stringify(figure(what, 's', middle(ours))))
    for (const [{ name }, runs] of theirs)
      console.log(JSON.stringify(figure(`${what} (ratio: to ${name})`, 's', middle(ours), middle(runs))))
  }
} finally {
  await cloud.stop()
  await rm(folder, { recursive: true, force: true })
}
