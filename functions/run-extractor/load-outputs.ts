import { z } from 'zod'
import { foreignCodeOr } from '../lib/errors/codes.ts'
import { UserError } from '../lib/errors/errors.ts'
import { checkKeyOfTable } from '../lib/storage/tables/primary-key.ts'
import type { Job } from '../lib/storage-client/storage-client.ts'
import { TABLE_EXISTS_CODE } from '../lib/storage-client/table-exists-code.ts'
import { waitSecondsAt } from '../lib/storage-client/wait-seconds-at.ts'
import { enterPhase, type OutputTable, type Run } from './run.ts'
import { sayWhoseRights } from './say-whose-rights.ts'
import type { Commit, RunServices, StepResult } from './services.ts'

type Services = Pick<RunServices, 'storage' | 'now'>

/**
 * Starts the loads of a row's tables and waits for them. A load is asked for once, however often this runs: our own
 * service finds it by its idempotency key, a hosted one by the file that only this load reads.
 */
export const loadOutputs = async (given: Run, services: Services, commit: Commit): Promise<StepResult> => {
  const isRepeated = given.outputs.some(({ isAsked }) => isAsked)
  const run = { ...given, outputs: given.outputs.map(output => ({ ...output, isAsked: true })) }
  if (given.outputs.some(({ isAsked }) => !isAsked)) await commit(run)

  const outputs: OutputTable[] = []
  for (const [index, output] of run.outputs.entries()) {
    const key = `${run.id}-${run.rowIndex}-out-${index}`
    const loading = () => load(output, { key, isRepeated }, services)
    const writing = `The run may not write the table "${output.tableId}"`
    outputs.push(output.isLoaded ? output : await sayWhoseRights(run, writing, loading()))
  }
  const at = services.now()
  if (outputs.every(({ isLoaded }) => isLoaded)) return { run: enterPhase({ ...run, outputs }, 'save', at) }
  const ageSeconds = (at.getTime() - Date.parse(run.phaseStartedAt)) / 1000
  return { run: { ...run, outputs }, waitSeconds: waitSecondsAt(ageSeconds) }
}

const load = async (
  output: OutputTable,
  { key, isRepeated }: { key: string; isRepeated: boolean },
  services: Services,
): Promise<OutputTable> => {
  const { job, warnings } = await jobOf(output, { key, isRepeated }, services)
  if (isAboutExistingTable(job)) {
    // Somebody made the table in this very moment: load into it.
    const { jobId: _, ...again } = output
    return load(again, { key, isRepeated: false }, services)
  }
  if (job.status === 'error')
    throw new UserError(
      foreignCodeOr(job.error.code, 'extractor.run.load'),
      `The table ${output.tableId} could not be loaded: ${job.error.message}`,
      { params: { tableId: output.tableId, jobId: job.id } },
    )
  const known = new Set([...output.warnings, ...warnings, ...warningsOf(job)])
  return { ...output, jobId: job.id, isLoaded: job.status === 'success', warnings: [...known] }
}

const importResults = z.object({ warnings: z.array(z.string()) })

/** A created table reports the table, without warnings. */
const warningsOf = (job: Job): string[] =>
  job.status === 'success' ? importResults.catch({ warnings: [] }).parse(job.results).warnings : []

interface StartedLoad {
  job: Job
  warnings: string[]
}

/** The job that loads a table: the one that is known, the one of an earlier attempt, or a new one. */
const jobOf = async (
  output: OutputTable,
  { key, isRepeated }: { key: string; isRepeated: boolean },
  services: Services,
): Promise<StartedLoad> => {
  const { storage } = services
  if (output.jobId !== undefined) return { job: await storage.job(output.jobId), warnings: [] }
  const earlier = isRepeated ? await storage.findJobOfFile(output.fileId) : undefined
  return earlier && !isAboutExistingTable(earlier)
    ? { job: earlier, warnings: [] }
    : startLoad(output, key, services)
}

const isAboutExistingTable = (job: Job): boolean =>
  job.status === 'error' && job.error.code === TABLE_EXISTS_CODE

const startLoad = async (
  { tableId, fileId, columns, primaryKey, incremental }: OutputTable,
  key: string,
  { storage }: Services,
): Promise<StartedLoad> => {
  const file = { dataFileId: fileId, columns, primaryKey }
  const importIntoTable = async (): Promise<StartedLoad> => {
    // Our own service looks again when the job runs; a hosted one never does
    const { primaryKey: tableKey } = await storage.table(tableId)
    const warnings = checkKeyOfTable({ tableId, tableKey, primaryKey, incremental })
    return { job: await storage.importTable({ ...file, tableId, incremental }, `${key}-import`), warnings }
  }
  if (await storage.hasTable(tableId)) return importIntoTable()

  const bucketId = tableId.slice(0, tableId.lastIndexOf('.'))
  const name = tableId.slice(bucketId.length + 1)
  if (!(await storage.hasBucket(bucketId))) await storage.createBucket(bucketId)
  return storage.createTable({ ...file, bucketId, name }, `${key}-create`).then(
    job => ({ job, warnings: [] }),
    (error: unknown) => {
      if (error instanceof UserError && error.code === TABLE_EXISTS_CODE) return importIntoTable()
      throw error
    },
  )
}
