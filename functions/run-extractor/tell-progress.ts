import { UserError } from '../lib/errors/errors.ts'
import type { Progress } from '../lib/extractor/run/extract-options.ts'
import { tellNowAndThen } from '../lib/tell-now-and-then.ts'
import { currentRow, type Run } from './run.ts'
import type { RunStorage } from './run-storage.ts'

/**
 * Tells the storage service how far a leg has come, now and then, so that people who wait see it. Nothing depends on it: what fails is
 * left out, and a service that has no runs is asked once.
 */
export const tellProgress = (run: Run, storage: Pick<RunStorage, 'noteProgress'>, everyMs?: number) => {
  const row = currentRow(run)
  const pagesBefore = row.jobs.reduce((sum, job) => sum + job.pages, 0)
  let isWanted = storage.noteProgress !== undefined
  const told = tellNowAndThen(async ({ pages, url: _, waitedSeconds, ...counts }: Progress) => {
    try {
      await storage.noteProgress?.(run.id, {
        row: run.rowIndex + 1,
        rowsCount: run.rows.length,
        rowName: (row.name || row.id || '').slice(0, 255),
        leg: row.legs + 1,
        pages: pagesBefore + pages,
        waitedSeconds: Math.round(waitedSeconds),
        ...counts,
      })
    } catch (error) {
      // Our own service may not know the run yet; another one never will.
      isWanted = !(error instanceof UserError) || error.code === 'storage.runs.notFound'
    }
  }, everyMs)
  return {
    onProgress: (progress: Progress): void => {
      if (isWanted) told.say(progress)
    },
    settled: told.settled,
  }
}
