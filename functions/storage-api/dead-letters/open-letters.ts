import { idParts } from '../../lib/storage/db/ids.ts'
import type { DeadLetterRecord } from '../../lib/storage/dead-letters/dead-letter-store.ts'
import { endOfJob, endOfRun } from '../../lib/storage/dead-letters/end-of-letter.ts'
import type { End } from '../../lib/storage/dead-letters/open-failures.ts'
import { inputOfRun } from '../../lib/storage/runs/run-execution.ts'
import type { Services } from '../services/services.ts'

type Read = Pick<Services, 'deadLetters' | 'extractionRuns' | 'jobs'>

/** A configuration has one letter, about its last run that failed: behind it are successes, or runs that were cancelled. */
const RUNS_LOOKED_AT = 20

/** The dead letters that nobody has mended, those of the newest executions first. Reads a hundred at a time, and what has become of each. */
export async function* openLetters(
  services: Read,
  range: { maxId?: number | undefined } = {},
): AsyncGenerator<DeadLetterRecord> {
  for await (const letters of services.deadLetters.batches(range)) yield* await openOf(letters, services)
}

/** Files say themselves when they are mended; of jobs and runs it is stored how they ended. */
export const openOf = async (
  letters: readonly DeadLetterRecord[],
  { deadLetters, extractionRuns, jobs }: Read,
): Promise<DeadLetterRecord[]> => {
  const jobIds = letters.flatMap(({ machine, input }) => (machine === 'jobs' ? Number(input['jobId']) : []))
  const ended = await jobs.getMany([...new Set(jobIds)].filter(Number.isSafeInteger))
  const others: End[] = ended.flatMap(({ id, ...job }) =>
    job.status === 'success' ? endOfJob(id, job.endTime) : [],
  )
  for (const letter of letters)
    if (letter.machine === 'extract') others.push(...(await lastSuccess(letter, extractionRuns)))
  return deadLetters.openOf(letters, others)
}

const lastSuccess = async (
  { id, input }: DeadLetterRecord,
  { list }: Read['extractionRuns'],
): Promise<End[]> => {
  const failed = inputOfRun({ input: JSON.stringify(input) })
  let seen = 0
  for await (const run of list(failed)) {
    const isBehind = run.startDate.getTime() < idParts(id).milliseconds
    if (isBehind || seen++ === RUNS_LOOKED_AT) break
    const { branchId } = inputOfRun(run)
    if (run.status === 'SUCCEEDED' && branchId === failed.branchId)
      return [endOfRun(failed, run.startDate, (run.stopDate ?? run.startDate).toISOString())]
  }
  return []
}
