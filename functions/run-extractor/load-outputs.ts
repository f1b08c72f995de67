import { UserError } from '../lib/errors/errors.ts'
import type { Job } from '../lib/storage-client/storage-client.ts'
import { waitSecondsAt } from '../lib/storage-client/wait-seconds-at.ts'
import { TABLE_EXISTS_CODE } from '../start-import/table-exists-code.ts'
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
  const { storage } = services
  const earlier =
    output.jobId === undefined && isRepeated ? await storage.findJobOfFile(output.fileId) : undefined
  const job =
    output.jobId !== undefined
      ? await storage.job(output.jobId)
      : earlier && !isAboutExistingTable(earlier)
        ? earlier
        : await startLoad(output, key, services)
  if (isAboutExistingTable(job)) {
    // Somebody made the table in this very moment: load into it.
    const { jobId: _, ...again } = output
    return load(again, { key, isRepeated: false }, services)
  }
  if (job.status === 'error')
    throw new UserError(
      job.error.code ?? 'extraction.load',
      `The table ${output.tableId} could not be loaded: ${job.error.message}`,
      { params: { tableId: output.tableId, jobId: job.id } },
    )
  return { ...output, jobId: job.id, isLoaded: job.status === 'success' }
}

const isAboutExistingTable = (job: Job): boolean =>
  job.status === 'error' && job.error.code === TABLE_EXISTS_CODE

const startLoad = async (output: OutputTable, key: string, { storage }: Services): Promise<Job> => {
  const { tableId, fileId, columns, primaryKey, incremental } = output
  const file = { dataFileId: fileId, columns }
  const importIntoTable = () => storage.importTable({ ...file, tableId, incremental }, `${key}-import`)
  if (await storage.hasTable(tableId)) return importIntoTable()

  const bucketId = tableId.slice(0, tableId.lastIndexOf('.'))
  const name = tableId.slice(bucketId.length + 1)
  if (!(await storage.hasBucket(bucketId))) await storage.createBucket(bucketId)
  return storage
    .createTable({ ...file, bucketId, name, primaryKey }, `${key}-create`)
    .catch((error: unknown) => {
      if (error instanceof UserError && error.code === TABLE_EXISTS_CODE) return importIntoTable()
      throw error
    })
}
