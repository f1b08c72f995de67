import { z } from 'zod'
import { foreignCodeOr } from '../lib/errors/codes.ts'
import { UserError } from '../lib/errors/errors.ts'
import { createMasker, maskError } from '../lib/extractor/requests/masking/masker.ts'
import { secretsOf } from '../lib/extractor/requests/masking/secrets-of.ts'
import {
  IF_EXISTS_FEATURE,
  isTableMadeMeanwhile,
  keyAfter,
  loadIntoTable,
} from '../lib/storage-client/load-into-table.ts'
import type { Job } from '../lib/storage-client/storage-client.ts'
import { replacedRowsOfJob } from '../lib/wire/job-results.ts'
import { currentRow, endRow, type OutputTable, type Run } from './run.ts'
import { sayWhoseRights } from './run-tokens.ts'
import { type Commit, openRow, type RunServices, type StepResult, waitFor } from './services.ts'

/**
 * Starts the loads of a row's tables, waits for them, and saves the state that the row has earned, which ends it. A load is asked for once,
 * however often this runs: our own service finds it by its idempotency key, a hosted one by the file that only this load reads.
 */
export const loadOutputs = async (given: Run, services: RunServices, commit: Commit): Promise<StepResult> => {
  const isRepeated = given.outputs.some(({ isAsked }) => isAsked)
  const run = { ...given, outputs: given.outputs.map(output => ({ ...output, isAsked: true })) }
  if (given.outputs.some(({ isAsked }) => !isAsked)) {
    await noteLoading(run, true, services)
    await commit(run)
  }

  const outputs: OutputTable[] = []
  for (const [index, output] of run.outputs.entries()) {
    const key = `${run.id}-${run.rowIndex}-out-${index}`
    const writing = `The run may not write the table "${output.tableId}"`
    const loading = () =>
      load(output, { key, isRepeated }, services).catch(error => refuse(error, run, services))
    outputs.push(output.isLoaded ? output : await sayWhoseRights(run, writing, loading()))
  }
  const latest = { ...run, outputs }
  const jobIds = outputs.flatMap(({ isLoaded, jobId }) => (isLoaded ? [] : (jobId ?? [])))
  if (outputs.some(({ isLoaded }) => !isLoaded)) return waitFor(jobIds, latest, services.now())
  await commit(latest)
  return saveState(latest, services)
}

/** A service that says why it did not load a table may repeat a cell of it. */
const refuse = async (error: unknown, run: Run, services: RunServices): Promise<never> => {
  if (!(error instanceof UserError)) throw error
  const { opened } = await openRow(run, services)
  throw maskError(error, createMasker(secretsOf(opened).values()))
}

/**
 * From the first load to the saved state nobody stops the run: rows would be loaded again. A service that knows no such run, a hosted one,
 * stops none either.
 */
const noteLoading = async (
  { id, outputs }: Run,
  isLoading: boolean,
  { storage }: Pick<RunServices, 'storage'>,
): Promise<void> => {
  if (outputs.length === 0) return
  await storage.noteLoading?.(id, isLoading).catch((error: unknown) => {
    if (!(error instanceof UserError)) throw error
    const isRefused = error.code === 'storage.jobs.cancelled' || error.code === 'storage.jobs.ended'
    if (isLoading && isRefused) throw error
  })
}

interface LoadAttempt {
  key: string
  isRepeated: boolean
}

const load = async (
  output: OutputTable,
  attempt: LoadAttempt,
  { storage }: RunServices,
): Promise<OutputTable> => {
  const known = await knownJob(output, attempt, storage)
  const { job, warnings } =
    known === undefined || isTableMadeMeanwhile(known)
      ? await loadIntoTable(
          storage,
          // An item is its whole row.
          { ...output, dataFileId: output.fileId, missingColumns: 'emptyByKey' },
          {
            idempotencyKey: known ? keyAfter(attempt.key, known) : attempt.key,
            isRepeated: attempt.isRepeated,
            checksKeyFirst: true,
            hasIfExists: await storage.knows(IF_EXISTS_FEATURE),
          },
        )
      : { job: known, warnings: [] }
  if (isTableMadeMeanwhile(job)) return { ...output, jobId: job.id }
  if (job.status === 'error')
    throw new UserError(
      foreignCodeOr(job.error.code, 'extractor.run.load'),
      `The table ${output.tableId} could not be loaded: ${job.error.message}`,
      { params: { tableId: output.tableId, jobId: job.id } },
    )
  const all = new Set([...output.warnings, ...warnings, ...warningsOf(job)])
  const replacedRows = replacedRowsOfJob(job)
  return {
    ...output,
    jobId: job.id,
    isLoaded: job.status === 'success',
    warnings: [...all],
    ...(replacedRows > 0 && { replacedRows }),
  }
}

/** The job that loads a table, as far as it is known: from the run, or by the file of an earlier attempt. */
const knownJob = async (
  { jobId, fileId }: OutputTable,
  { isRepeated }: LoadAttempt,
  storage: RunServices['storage'],
): Promise<Job | undefined> => {
  if (jobId !== undefined) return storage.job(jobId)
  return isRepeated ? storage.findJobOfFile(fileId) : undefined
}

const importResults = z.object({ warnings: z.array(z.string()) })

/** A created table reports the table, without warnings. */
const warningsOf = (job: Job): string[] =>
  job.status === 'success' ? importResults.catch({ warnings: [] }).parse(job.results).warnings : []

const stateSchema = z.record(z.string(), z.unknown())

const saveState = async (run: Run, services: RunServices): Promise<StepResult> => {
  const { storage, work, now, log } = services
  const { id: rowId, warnings: ofLeg } = currentRow(run)
  const { componentId, configId, stateKey } = run
  if (stateKey === null) throw new Error(`The run ${run.id} has no state to save`)
  const state = stateSchema.parse((await work.read(stateKey))?.value)
  const place = { componentId, configId, ...(rowId === null ? {} : { rowId }) }
  await storage.saveState(place, state).catch((error: unknown) => {
    // Deleted while it ran: its tables are loaded, and there is nobody to remember for.
    if (!(error instanceof UserError && error.status === 404)) throw error
    log.warn('nowhere to save the state', { ...place })
  })
  await noteLoading(run, false, services)
  const tables = run.outputs.map(({ tableId, rows, replacedRows }) => ({
    tableId,
    rows,
    ...(replacedRows && { replacedRows }),
  }))
  const rowsLoaded = tables.reduce((sum, { rows }) => sum + rows, 0)
  const warnings = [...ofLeg, ...run.outputs.flatMap(output => output.warnings)]
  return {
    run: endRow(run, { status: 'success', tables, rowsLoaded, warnings }, now()),
  }
}
