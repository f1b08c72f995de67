import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { extract } from '#lib/extractor/run/extract.ts'
import { runBareLoop } from './bare-loop.ts'
import type { ApiShape } from './extractor-api.ts'
import { figure, median } from './figure.ts'
import { startApi } from './start-api.ts'

/** How one benchmark asks: the configuration of the extractor, and the same requests for the bare loop. */
interface Case {
  name: string
  shape: ApiShape
  pagination: Record<string, unknown>
  jobs: string[]
  /** Address of a job's page for the bare loop. */
  address: (job: string) => string
}

const cases: Case[] = [
  {
    name: 'extract offset, 1000 pages of 100 rows',
    shape: { rowsPerPage: 100, pages: 1000, latencyMs: 0 },
    pagination: { method: 'offset', limit: 100 },
    jobs: ['rows'],
    address: job => `/${job}?limit=100&offset={offset}`,
  },
  {
    name: 'extract cursor, 200 pages of 1000 rows',
    shape: { rowsPerPage: 1000, pages: 200, latencyMs: 0 },
    pagination: { method: 'cursor', idKey: 'id', param: 'since' },
    jobs: ['rows'],
    address: job => `/${job}?since={last}`,
  },
  {
    name: 'extract 8 jobs of 50 pages of 100 rows, 20 ms latency',
    shape: { rowsPerPage: 100, pages: 50, latencyMs: 20 },
    pagination: { method: 'offset', limit: 100 },
    jobs: Array.from({ length: 8 }, (_, index) => `job${index}rows`),
    address: job => `/${job}?limit=100&offset={offset}`,
  },
]

const rounds = 5

const withApi = async <T>(shape: ApiShape, use: (origin: string) => Promise<T>): Promise<T> => {
  const api = await startApi(shape)
  try {
    return await use(api.origin)
  } finally {
    await api.stop()
  }
}

/** Seconds of one extraction, by the library as a caller uses it. */
const timeExtract = async (
  origin: string,
  { pagination, jobs }: Omit<Case, 'address' | 'name' | 'shape'>,
): Promise<number> => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-extract-'))
  const begun = performance.now()
  const result = await extract({
    config: {
      parameters: {
        api: { baseUrl: `${origin}/`, pagination },
        config: { jobs: jobs.map(endpoint => ({ endpoint })) },
      },
    },
    outDir: join(folder, 'out'),
    spoolDir: join(folder, 'spool'),
  })
  const seconds = (performance.now() - begun) / 1000
  if (!result.finished) throw new Error('The extraction did not finish')
  rmSync(folder, { recursive: true })
  return seconds
}

const timeBare = async (origin: string, { jobs, address, shape }: Case): Promise<number> => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-bare-'))
  const begun = performance.now()
  await runBareLoop({ origin, jobs: jobs.map(address), rowsPerPage: shape.rowsPerPage, folder })
  const seconds = (performance.now() - begun) / 1000
  rmSync(folder, { recursive: true })
  return seconds
}

for (const one of cases) {
  const { shape, jobs } = one
  await withApi(shape, async origin => {
    const bare: number[] = []
    const ours: number[] = []
    for (let round = 0; round <= rounds; round++) {
      const seconds = [await timeBare(origin, one), await timeExtract(origin, one)] as const
      if (round === 0) continue // the first warms both up
      bare.push(seconds[0])
      ours.push(seconds[1])
    }
    const pages = shape.pages * jobs.length
    const rows = pages * shape.rowsPerPage
    console.log(JSON.stringify(figure(one.name, 'rows/s', rows / median(ours), rows / median(bare))))
    console.log(JSON.stringify(figure(one.name, 'pages/s', pages / median(ours), pages / median(bare))))
  })
}
