import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BareLoop } from './bare-loop.ts'
import type { ApiShape } from './extractor-api.ts'
import { figure, median } from './figure.ts'
import { type FoundPeer, findPeers, peerProgram } from './peers.ts'
import { type Measured, runMeasured } from './run-measured.ts'
import { startApi } from './start-api.ts'

/**
 * The command `millrace extract`, with all that it needs to start, against a bare undici loop with its own start (its code is kept compiled, as ours is), and against other
 * programs that read the same pages of the same API into files of their own kind. The ratio is ours to theirs: above one, ours reads
 * more rows a second. What cannot be had is left out, with a sentence.
 */
const SHAPES = {
  'nested rows': { rowsPerPage: 100, pages: 1000, latencyMs: 0 },
  'plain rows': { rowsPerPage: 100, pages: 1000, latencyMs: 0, isPlain: true },
} satisfies Record<string, ApiShape>
const ROUNDS = 5
/** The Python programs take up to a minute each. */
const PEER_ROUNDS = 3
const root = join(import.meta.dirname, '../../..')
const cli = join(root, 'cli/bin.js')
/** What Node keeps of compiled code (`cli/compile-cache.js`): without it, a run is the first after an install. */
const compiled = join(root, 'node_modules/.cache/millrace/compiled')

const folder = await mkdtemp(join(tmpdir(), 'millrace-bench-peers-'))

/** Runs it in an empty folder that holds the configuration of the extractor. */
const inFolder = async (
  origin: string,
  limit: number,
  work: (dataDir: string) => Promise<Measured>,
): Promise<Measured> => {
  const dataDir = join(folder, 'run')
  await mkdir(dataDir)
  const api = { baseUrl: `${origin}/`, pagination: { method: 'offset', limit } }
  const configuration = { parameters: { api, config: { jobs: [{ endpoint: 'rows' }] } } }
  await writeFile(join(dataDir, 'config.json'), JSON.stringify(configuration))
  return work(dataDir).finally(() => rm(dataDir, { recursive: true }))
}

/** Runs it where nothing is compiled yet, and puts back what was. */
const withoutCompiled = async (work: () => Promise<Measured>): Promise<Measured> => {
  const kept = join(folder, 'compiled')
  await cp(compiled, kept, { recursive: true })
  await rm(compiled, { recursive: true })
  return work().finally(async () => {
    await rm(compiled, { recursive: true, force: true })
    await cp(kept, compiled, { recursive: true })
    await rm(kept, { recursive: true })
  })
}

const measureShape = async (kind: string, shape: ApiShape, peers: readonly FoundPeer[]): Promise<void> => {
  const rows = shape.rowsPerPage * shape.pages
  const rate = (runs: Measured[]): number => rows / median(runs.map(({ seconds }) => seconds))
  const memory = (runs: Measured[]): number => Math.max(...runs.map(({ peakMemoryMb }) => peakMemoryMb))
  const api = await startApi(shape)
  try {
    const { origin } = api
    const run = (program: string, given: (dataDir: string) => readonly string[], env = {}) =>
      inFolder(origin, shape.rowsPerPage, dataDir => runMeasured(program, given(dataDir), env))
    const runOurs = () => run(process.execPath, dataDir => [cli, 'extract', dataDir])
    const loopOf = (dataDir: string): BareLoop => ({
      origin,
      jobs: [`/rows?limit=${shape.rowsPerPage}&offset={offset}`],
      rowsPerPage: shape.rowsPerPage,
      folder: dataDir,
    })
    const bareProgram = [
      '--import',
      join(root, 'cli/compile-cache.js'),
      join(import.meta.dirname, 'bare-loop.ts'),
    ]
    const runBare = () => run(process.execPath, dataDir => [...bareProgram, JSON.stringify(loopOf(dataDir))])
    const ours: Measured[] = []
    const bare: Measured[] = []
    const first: Measured[] = []
    const theirs = new Map(peers.map(peer => [peer, [] as Measured[]]))
    // Alternately, so that other load on the machine affects all of them.
    for (let round = 0; round <= ROUNDS; round++) {
      const warm = [await runOurs(), await runBare()] as const
      if (round === 0) continue // it compiles
      ours.push(warm[0])
      bare.push(warm[1])
      if (round > PEER_ROUNDS) continue
      first.push(await withoutCompiled(runOurs))
      for (const [peer, runs] of theirs)
        runs.push(await run('python3', dataDir => [peerProgram(peer), origin, dataDir], peer.env))
    }
    const what = `extract ${shape.pages} pages of ${shape.rowsPerPage} ${kind}`
    const lines = [
      figure(`${what} (ratio: to a bare undici loop with its start)`, 'rows/s', rate(ours), rate(bare)),
      figure(`${what}, without compiled code (ratio: to later runs)`, 'rows/s', rate(first), rate(ours)),
      figure(`${what}: peak memory`, 'MB', memory(ours), memory(bare)),
    ]
    for (const [{ name }, runs] of theirs) {
      lines.push(figure(`${what} (ratio: to ${name})`, 'rows/s', rate(ours), rate(runs)))
      lines.push(figure(`${what}: peak memory (ratio: to ${name})`, 'MB', memory(ours), memory(runs)))
    }
    for (const line of lines) console.log(JSON.stringify(line))
  } finally {
    await api.stop()
  }
}

try {
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
  await measureShape('nested rows', SHAPES['nested rows'], peers)
  // The loop in Python writes nested rows alone, and the others read any.
  await measureShape(
    'plain rows',
    SHAPES['plain rows'],
    peers.filter(({ program }) => program !== 'requests_loop.py'),
  )
} finally {
  await rm(folder, { recursive: true, force: true })
}
