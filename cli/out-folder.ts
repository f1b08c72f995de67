import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExtractSummary } from '../functions/lib/extractor/run/extract.ts'
import type { LastRun } from '../functions/lib/extractor/run/forecast.ts'
import { writePrivately } from './shell/write-privately.ts'

/** What a run leaves in `DATADIR/out` beside its tables. The state may hold secrets. */
export const outFolder = (dataDir: string) => {
  const lastRun = join(dataDir, 'out', 'last-run.json')
  return {
    writeState: (state: unknown): Promise<void> =>
      writePrivately(join(dataDir, 'out', 'state.json'), JSON.stringify(state)),

    /** Keeps what the run had needed, for the forecast of the next. */
    writeLastRun: async ({ jobs, rows, traffic }: ExtractSummary, seconds: number): Promise<void> => {
      const needed: LastRun = {
        requests: traffic.requests,
        seconds: Math.round(seconds * 1000) / 1000,
        rows,
        jobs: jobs.map(({ job, endpoint, dataType, runs, pages }) => ({
          job,
          endpoint,
          dataType,
          runs,
          pages,
        })),
      }
      await writeFile(lastRun, JSON.stringify(needed))
    },

    /** A forecast does without it when it is not there or damaged. */
    readLastRun: async (): Promise<unknown> => {
      try {
        return JSON.parse(await readFile(lastRun, 'utf8'))
      } catch {
        return undefined
      }
    },
  }
}
