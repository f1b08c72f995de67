import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { extract } from '#lib/extractor/run/extract.ts'
import { figure } from './figure.ts'
import { startApi } from './start-api.ts'

/**
 * Memory that an extraction on one thread takes over what the process held before, by pages of 1,000 rows: in a fresh process, and
 * in one that has extracted before, as a function has whose container is used again. MILLRACE_BENCH_PAGES changes the largest.
 */
const FEW_PAGES = 100
const MANY_PAGES = Number(process.env['MILLRACE_BENCH_PAGES'] ?? 1000)
const ROWS_PER_PAGE = 1000
/** More pages than these are the same ones again. */
const PAGES_OF_API = 1000

/** Peak of the resident memory over that before the run in MiB, sampled at every page. */
const peakOver = async (pages: number): Promise<number> => {
  const api = await startApi({
    rowsPerPage: ROWS_PER_PAGE,
    pages: Math.min(pages, PAGES_OF_API),
    latencyMs: 0,
  })
  const folder = mkdtempSync(join(tmpdir(), 'bench-memory-'))
  try {
    globalThis.gc?.()
    const before = process.memoryUsage.rss()
    let peak = before
    const sample = (): void => {
      peak = Math.max(peak, process.memoryUsage.rss())
    }
    const pagination = { method: 'pagenum', limit: ROWS_PER_PAGE, forceStop: { pages } }
    await extract({
      config: {
        parameters: {
          api: { baseUrl: `${api.origin}/`, pagination },
          config: { jobs: [{ endpoint: 'rows' }] },
        },
      },
      outDir: join(folder, 'out'),
      spoolDir: join(folder, 'spool'),
      onProgress: sample,
    })
    sample()
    return (peak - before) / 2 ** 20
  } finally {
    rmSync(folder, { recursive: true })
    await api.stop()
  }
}

const rowsOf = (pages: number): string => (pages * ROWS_PER_PAGE).toLocaleString('en')
const fresh = await peakOver(FEW_PAGES)
const few = await peakOver(FEW_PAGES)
const many = await peakOver(MANY_PAGES)
const lines = [
  figure(`extract memory over rest, ${rowsOf(FEW_PAGES)} rows in a fresh process`, 'MiB', fresh),
  figure(`extract memory over rest, ${rowsOf(FEW_PAGES)} rows after these`, 'MiB', few),
  figure(`extract memory over rest, ${rowsOf(MANY_PAGES)} rows after these`, 'MiB', many),
]
for (const line of lines) console.log(JSON.stringify(line))
