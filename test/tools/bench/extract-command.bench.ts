import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BareLoop } from './bare-loop.ts'
import type { ApiShape } from './extractor-api.ts'
import { figure, median } from './figure.ts'
import { type Measured, runMeasured } from './run-measured.ts'
import { startApi } from './start-api.ts'

/**
 * The command `millrace extract`, with all that it needs to start, against a bare undici loop with its own start, whose code is
 * kept compiled, as ours is.
 */
const SHAPES = {
  'nested rows': { rowsPerPage: 100, pages: 1000, latencyMs: 0 },
  'plain rows': { rowsPerPage: 100, pages: 1000, latencyMs: 0, isPlain: true },
} satisfies Record<string, ApiShape>
const ROUNDS = 5
/** Without compiled code. */
const FIRST_ROUNDS = 3
const root = join(import.meta.dirname, '../../..')
const cli = join(root, 'cli/bin.js')
/** What Node keeps of compiled code (`cli/compile-cache.js`): without it, a run is the first after an install. */
const compiled = join(root, 'node_modules/.cache/millrace/compiled')

const folder = await mkdtemp(join(tmpdir(), 'millrace-bench-extract-'))

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

const measureShape = async (kind: string, shape: ApiShape): Promise<void> => {
  const rows = shape.rowsPerPage * shape.pages
  const rate = (runs: Measured[]): number => rows / median(runs.map(({ seconds }) => seconds))
  const memory = (runs: Measured[]): number => Math.max(...runs.map(({ peakMemoryMb }) => peakMemoryMb))
  const api = await startApi(shape)
  try {
    const { origin } = api
    const run = (given: (dataDir: string) => readonly string[]) =>
      inFolder(origin, shape.rowsPerPage, dataDir => runMeasured(process.execPath, given(dataDir)))
    const runOurs = () => run(dataDir => [cli, 'extract', dataDir])
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
    const runBare = () => run(dataDir => [...bareProgram, JSON.stringify(loopOf(dataDir))])
    const ours: Measured[] = []
    const bare: Measured[] = []
    const first: Measured[] = []
    // Alternately, so that other load on the machine affects all of them.
    for (let round = 0; round <= ROUNDS; round++) {
      const warm = [await runOurs(), await runBare()] as const
      if (round === 0) continue // it compiles
      ours.push(warm[0])
      bare.push(warm[1])
      if (round <= FIRST_ROUNDS) first.push(await withoutCompiled(runOurs))
    }
    const what = `extract ${shape.pages} pages of ${shape.rowsPerPage} ${kind}`
    const lines = [
      figure(`${what} (ratio: to a bare undici loop with its start)`, 'rows/s', rate(ours), rate(bare)),
      figure(`${what}, without compiled code (ratio: to later runs)`, 'rows/s', rate(first), rate(ours)),
      figure(`${what}: peak memory`, 'MB', memory(ours), memory(bare)),
    ]
    for (const line of lines) console.log(JSON.stringify(line))
  } finally {
    await api.stop()
  }
}

try {
  for (const [kind, shape] of Object.entries(SHAPES)) await measureShape(kind, shape)
} finally {
  await rm(folder, { recursive: true, force: true })
}
