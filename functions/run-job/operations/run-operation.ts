import type { AskedWait } from '../../lib/asked-wait.ts'
import type { LoadPlace } from '../../lib/distributed/load-place.ts'
import { TransientError, UserError } from '../../lib/errors/errors.ts'
import { defaultBranchId } from '../../lib/storage/db/branch-id.ts'
import { deleteFileObjects } from '../../lib/storage/files/file-store.ts'
import { aliasDropped } from '../../lib/storage/jobs/job-events.ts'
import { kindOf } from '../../lib/storage/jobs/job-kinds.ts'
import {
  branchOf,
  type DecidedJob,
  type FinalJob,
  type InputOf,
  isFinal,
  type JobInput,
  type ProcessingJob,
} from '../../lib/storage/jobs/job-record.ts'
import { metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import { idsOf } from '../../lib/storage/tables/aliases/alias-record.ts'
import { dropping } from '../../lib/storage/tables/drop-table.ts'
import { deletingBucket, updateBucket } from '../../lib/storage/update-bucket.ts'
import { workspaceResource } from '../../lib/storage/workspaces/workspace-store.ts'
import type { RunJobServices } from '../job/services.ts'
import {
  addColumn,
  deleteColumn,
  describeTable,
  updateColumnDefinition,
  updateTableDefinition,
} from './alter-columns.ts'
import { createBranch, deleteBranch } from './branches.ts'
import {
  addPrimaryKey,
  deletePrimaryKey,
  deleteRows,
  pullTable,
  restoreTable,
  snapshotTable,
  swapTables,
  updateTable,
} from './change-table.ts'
import { createDefinedTable, createTable } from './create-table.ts'
import { exportTable } from './export-table.ts'
import { importTable } from './import-table.ts'
import { OutgrownLoad } from './load-file.ts'
import { endTogether } from './load-together.ts'
import type { InParts, Outcome } from './outcome.ts'

export { mostBehind } from './load-together.ts'
export type { Outcome }

type Operation<Name extends JobInput['operationName']> = (
  job: ProcessingJob,
  input: InputOf<Name>,
  services: RunJobServices,
  behind: readonly number[],
) => Promise<Outcome | InParts>

const nothingToReport: Outcome = { results: null }
const tellingOf =
  (job: ProcessingJob, { events, nextId, now }: RunJobServices) =>
  (tableId: string) =>
    events.telling({ ...aliasDropped(job, tableId, now()), id: nextId() })

const withAliases = ({ dropped, decide }: ReturnType<typeof dropping>): Outcome => ({
  results: () => (dropped.length > 0 ? { deletedAliases: dropped } : null),
  decide,
})

/** What each job does. Every operation may run again after a crash at any point, or while another run of it is under way. */
const operations: { [Name in JobInput['operationName']]: Operation<Name> } = {
  tableCreate: createTable,
  tableImport: importTable,
  tableDefinitionCreate: createDefinedTable,
  tableUpdate: updateTable,
  tableColumnAdd: addColumn,
  tableColumnDefinitionUpdate: updateColumnDefinition,
  tableDefinitionUpdate: updateTableDefinition,
  tableColumnDelete: deleteColumn,
  tablePrimaryKeyAdd: addPrimaryKey,
  tablePrimaryKeyDelete: deletePrimaryKey,
  tableRowsDelete: deleteRows,
  tableExport: exportTable,
  tablePull: pullTable,
  tableRestore: restoreTable,
  tableSwap: swapTables,
  tableSnapshotCreate: snapshotTable,
  // The sweep deletes its files once nothing else uses them.
  tableSnapshotDelete: async (_job, { snapshotId }, { snapshots }) => ({
    results: null,
    decide: () => snapshots.deleting(snapshotId),
    rest: {},
  }),
  async tableDrop(job, { tableId, force = false }, services) {
    const table = await services.tables.getHead(tableId)
    return table
      ? withAliases(dropping(table, { ...services, force, telling: tellingOf(job, services) }))
      : nothingToReport
  },
  bucketDelete: async (job, { bucketId, force }, services) =>
    withAliases(deletingBucket(bucketId, { ...services, force, telling: tellingOf(job, services) })),
  async bucketUpdate(_job, input, services) {
    await updateBucket(input.bucketId, input, services)
    return nothingToReport
  },
  devBranchCreate: createBranch,
  async devBranchDelete(_job, input, services) {
    await deleteBranch(input, services)
    return nothingToReport
  },
  async fileDelete(_job, { fileId }, { files, s3, filesBucket }) {
    const file = await files.get(fileId)
    if (file) await deleteFileObjects(s3, filesBucket, file)
    // The record goes last: while it exists, an interrupted delete can be repeated.
    if (file) await files.delete(file)
    return nothingToReport
  },
  // Its execution is one of the extract machine.
  configurationRun: async ({ id }) => {
    throw new Error(`The job ${id} is a run`)
  },
  async workspaceCreate(
    { id, createdTime, creatorToken, baseUrl, ...job },
    { configuration },
    { workspaces, projectId, backend },
  ) {
    const branchId = branchOf(job)
    const workspace = { id, branchId, configuration, created: createdTime, creatorToken, revision: 1 }
    return {
      results: workspaceResource(workspace, { baseUrl, projectId, backend }),
      decide: async () => [workspaces.inserting(workspace)],
    }
  },
  workspaceDelete: async (_job, { workspaceId }, { workspaces }) => ({
    results: null,
    decide: async () => ((await workspaces.get(workspaceId)) ? [workspaces.deleting(workspaceId)] : []),
  }),
}

/**
 * Does the work of a job, of which nothing is visible before it is decided; or says what the machine has to do first: parts of an export, the
 * rows of a load, or wait. Throws `UserError` when the job cannot be done as requested.
 */
export const runOperation = async (
  job: ProcessingJob,
  services: RunJobServices,
  behind: readonly number[],
): Promise<Outcome | InParts | { load: LoadPlace } | AskedWait> => {
  await enterBranch(job, services)
  await refuseOther(job, services)
  // The operation of a name takes the input of that name, which the compiler does not follow through a table.
  const operate = operations[job.input.operationName] as Operation<JobInput['operationName']>
  const run = (given: RunJobServices) => operate(job, job.input, given, behind)
  try {
    return await (changesOneTable(job) ? untilCancelled(job.id, services, run) : run(services))
  } catch (error) {
    if (error instanceof OutgrownLoad) return error.asked
    throw error
  }
}

/**
 * Before the work of a job begins: what it is going to change becomes its branch's own.
 *
 * Error: 404 `notFound` when the branch was deleted while the job waited.
 */
const enterBranch = async (
  job: ProcessingJob,
  { branches, own }: Pick<RunJobServices, 'branches' | 'own'>,
): Promise<void> => {
  const branchId = branchOf(job)
  if (branchId === defaultBranchId) return
  if (!(await branches.get(branchId)))
    throw new UserError('notFound', `Branch id:"${branchId}" was not found.`)
  const { tableId, bucketId } = kindOf(job.input).owns?.(job.input) ?? {}
  if (tableId !== undefined) await own.table(tableId)
  if (bucketId !== undefined) await own.bucket(bucketId)
}

/** Error: 404 `storage.tables.notFound` when the table that the job was accepted for is gone, and another one has its name. */
const refuseOther = async (
  { incarnation, tableId }: ProcessingJob,
  { tables }: Pick<RunJobServices, 'tables'>,
): Promise<void> => {
  const table = incarnation === undefined || tableId === null ? undefined : await tables.getHead(tableId)
  if (!table || idsOf(table).some(id => id === incarnation)) return
  throw new UserError(
    'storage.tables.notFound',
    `The table "${tableId}" that the job was accepted for was deleted, and another one has its name. Send the request again if that one is meant.`,
  )
}

/** What changes more than one thing is not left half done: when it is cancelled, it goes on to its end. */
const changesOneTable = ({ queueTableId, tableId, input }: ProcessingJob): boolean =>
  queueTableId !== null && (tableId !== null || input.operationName.endsWith('Create'))

/** One read of an item each. */
const LOOK_EVERY_MS = 2_000

/** Does the work of a job, and interrupts its table engine when somebody has cancelled the job: then it throws that reason. */
const untilCancelled = async <Result>(
  jobId: number,
  services: RunJobServices,
  work: (services: RunJobServices) => Promise<Result>,
): Promise<Result> => {
  const cancelled = new AbortController()
  const look = (): void =>
    void services.jobs.refuseCancelled(jobId).catch((error: unknown) => {
      // Otherwise nobody could be asked, or the job is given up, which is looked at before anything becomes visible.
      if (error instanceof UserError) cancelled.abort(error)
    })
  const timer = setInterval(look, LOOK_EVERY_MS)
  try {
    return await work({
      ...services,
      tableEngine: async () => (await services.tableEngine()).until(cancelled.signal),
    })
  } finally {
    clearInterval(timer)
  }
}

/**
 * Does what is left of a job whose work is decided, and then ends it: whoever reads that it has ended sees all of it. May be repeated by
 * whoever comes next, also while another one does it. Resolves to the job, and to those that it ended beside it.
 */
export const endDecided = async (
  job: DecidedJob,
  services: RunJobServices,
): Promise<{ ended: FinalJob; alongside: number[] }> => {
  const { jobs, metadata, now } = services
  const { input, decided } = job
  const { together, internalId = 0 } = decided.rest
  const alongside = together === undefined ? [] : await endTogether(together, services)
  const table = { internalId }
  if (input.operationName === 'tableColumnDelete')
    await metadata.clear(metadataSubject.table(table), input.name)
  if (input.operationName === 'tableDefinitionUpdate') await describeTable(input, table, services)
  if (input.operationName === 'tableSnapshotDelete')
    await metadata.clear(metadataSubject.snapshot({ id: input.snapshotId }))
  const ended = await jobs.succeed(job, { at: now(), outcome: decided })
  if (typeof ended === 'string' || !isFinal(ended))
    throw new TransientError('storage.tables.moved', `The job ${job.id} was changed while it ended.`)
  return { ended, alongside }
}
