import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExtractSummary } from '../functions/lib/extractor/extract.ts'
import type { LastRun } from '../functions/lib/extractor/runner/forecast.ts'

const fileIn = (dataDir: string): string => join(dataDir, 'out', 'last-run.json')

/** Keeps beside `out/state.json` what the run had needed, for the forecast of the next. */
export const writeLastRun = async (
  dataDir: string,
  { jobs, rows, traffic }: ExtractSummary,
  seconds: number,
): Promise<void> => {
  const lastRun: LastRun = {
    requests: traffic.requests,
    seconds: Math.round(seconds * 1000) / 1000,
    rows,
    jobs: jobs.map(({ job, endpoint, dataType, runs, pages }) => ({ job, endpoint, dataType, runs, pages })),
  }
  await writeFile(fileIn(dataDir), JSON.stringify(lastRun))
}

/** A forecast does without it when it is not there or damaged. */
export const readLastRun = async (dataDir: string): Promise<unknown> => {
  try {
    return JSON.parse(await readFile(fileIn(dataDir), 'utf8'))
  } catch {
    return undefined
  }
}
