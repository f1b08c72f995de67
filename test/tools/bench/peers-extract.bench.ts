import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ApiShape } from './extractor-api.ts'
import { figure, median } from './figure.ts'
import { findPeers, peerProgram } from './peers.ts'
import { type Measured, runMeasured } from './run-measured.ts'
import { startApi } from './start-api.ts'

/**
 * The command `millrace extract`, with all that it needs to start, against other programs that read the same pages of the same API into
 * files of their own kind. The ratio is ours to theirs: above one, ours reads more rows a second. What cannot be had is left out, with a sentence.
 */
const SHAPE: ApiShape = { rowsPerPage: 100, pages: 1000, latencyMs: 0 }
const ROWS = SHAPE.rowsPerPage * SHAPE.pages
const ROUNDS = 3
const cli = join(import.meta.dirname, '../../../cli/bin.js')

const peers = await findPeers([
  { name: 'a loop in Python', program: 'requests_loop.py', packages: ['requests==2.34.2'] },
  {
    name: 'dlt 1.31',
    program: 'dlt_api.py',
    packages: ['dlt[duckdb,filesystem]==1.31.0', 'duckdb==2.0.1', 'pyarrow==26.0.1'],
  },
  { name: 'airbyte-cdk 7.39', program: 'airbyte_api.py', packages: ['airbyte-cdk==7.39.1'] },
  { name: 'singer-sdk 0.54', program: 'singer_api.py', packages: ['singer-sdk==0.54.9'] },
])

const folder = await mkdtemp(join(tmpdir(), 'millrace-bench-peers-'))
const api = await startApi(SHAPE)
try {
  const { origin } = api
  const configuration = {
    parameters: {
      api: { baseUrl: `${origin}/`, pagination: { method: 'offset', limit: SHAPE.rowsPerPage } },
      config: { jobs: [{ endpoint: 'rows' }] },
    },
  }
  const inFolder = async (work: (dataDir: string) => Promise<Measured>): Promise<Measured> => {
    const dataDir = join(folder, 'run')
    await mkdir(dataDir)
    await writeFile(join(dataDir, 'config.json'), JSON.stringify(configuration))
    return work(dataDir).finally(() => rm(dataDir, { recursive: true }))
  }
  const ours: Measured[] = []
  const theirs = new Map(peers.map(peer => [peer, [] as Measured[]]))
  // Alternately, so that other load on the machine affects all of them.
  for (let round = 0; round <= ROUNDS; round++) {
    const mine = await inFolder(dataDir => runMeasured(process.execPath, [cli, 'extract', dataDir], {}))
    if (round > 0) ours.push(mine) // the first compiles
    for (const [peer, runs] of theirs) {
      const run = await inFolder(dataDir =>
        runMeasured('python3', [peerProgram(peer), origin, dataDir], peer.env),
      )
      if (round > 0) runs.push(run)
    }
  }
  const rate = (runs: Measured[]): number => ROWS / median(runs.map(({ seconds }) => seconds))
  const memory = (runs: Measured[]): number => Math.max(...runs.map(({ peakMemoryMb }) => peakMemoryMb))
  const what = 'extract 1000 pages of 100 rows'
  const lines = [figure(what, 'rows/s', rate(ours)), figure(`${what}: peak memory`, 'MB', memory(ours))]
  for (const [{ name }, runs] of theirs) {
    lines.push(figure(`${what} (ratio: to ${name})`, 'rows/s', rate(ours), rate(runs)))
    lines.push(figure(`${what}: peak memory (ratio: to ${name})`, 'MB', memory(ours), memory(runs)))
  }
  for (const line of lines) console.log(JSON.stringify(line))
} finally {
  await api.stop()
  await rm(folder, { recursive: true, force: true })
}
