import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ApiShape } from './extractor-api.ts'
import { figure, median } from './figure.ts'
import { type Measured, runMeasured } from './run-measured.ts'
import { startApi } from './start-api.ts'

/**
 * The command `millrace extract`, with all that it needs to start, against a loop in Python (`requests` and `csv`) that
 * reads the same pages into the same two files. Without Python or `requests` there is no baseline.
 */
const SHAPE: ApiShape = { rowsPerPage: 100, pages: 1000, latencyMs: 0 }
const ROWS = SHAPE.rowsPerPage * SHAPE.pages
const ROUNDS = 3
const loop = join(import.meta.dirname, 'pages-to-csv.py')
const cli = join(import.meta.dirname, '../../../cli/bin.js')

const hasPython = await runMeasured('python3', ['-c', 'import requests'], {}).then(
  () => true,
  () => false,
)
if (!hasPython) console.error('There is no python3 with requests: only the extractor is measured.')

const folder = await mkdtemp(join(tmpdir(), 'millrace-bench-python-'))
const api = await startApi(SHAPE)
try {
  const { origin } = api
  const configuration = {
    parameters: {
      api: { baseUrl: `${origin}/`, pagination: { method: 'offset', limit: SHAPE.rowsPerPage } },
      config: { jobs: [{ endpoint: 'rows' }] },
    },
  }
  const ours: Measured[] = []
  const theirs: Measured[] = []
  // Alternately, so that other load on the machine affects all of them.
  for (let round = 0; round <= ROUNDS; round++) {
    const dataDir = join(folder, String(round))
    await mkdir(dataDir)
    await writeFile(join(dataDir, 'config.json'), JSON.stringify(configuration))
    const runs = [
      await runMeasured(process.execPath, [cli, 'extract', dataDir], {}),
      hasPython ? await runMeasured('python3', [loop, origin, dataDir], {}) : undefined,
    ] as const
    await rm(dataDir, { recursive: true })
    if (round === 0) continue // the first compiles
    ours.push(runs[0])
    if (runs[1] !== undefined) theirs.push(runs[1])
  }
  const rate = (runs: Measured[]): number => ROWS / median(runs.map(({ seconds }) => seconds))
  const memory = (runs: Measured[]): number => Math.max(...runs.map(({ peakMemoryMb }) => peakMemoryMb))
  const lines = [
    figure(
      'extract 1000 pages of 100 rows (ratio: to a loop in Python)',
      'rows/s',
      rate(ours),
      hasPython ? rate(theirs) : undefined,
    ),
    figure(
      'extract 1000 pages of 100 rows: peak memory',
      'MB',
      memory(ours),
      hasPython ? memory(theirs) : undefined,
    ),
  ]
  for (const line of lines) console.log(JSON.stringify(line))
} finally {
  await api.stop()
  await rm(folder, { recursive: true, force: true })
}
