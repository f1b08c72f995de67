import { z } from 'zod'
import { executionOfJob } from '../lib/asked-wait.ts'
import { foreignCodeOr } from '../lib/errors/codes.ts'
import { UserError } from '../lib/errors/errors.ts'
import type { Job } from '../lib/storage-client/storage-client.ts'
import { waitSecondsAt } from '../lib/storage-client/wait-seconds-at.ts'
import { enterPhase, type Run } from './run.ts'
import { sayWhoseRights } from './say-whose-rights.ts'
import type { RunServices, StepResult } from './services.ts'
import { type InputMapping, readStorageMapping } from './storage-mapping.ts'

const exportResults = z.object({ file: z.object({ id: z.number() }) })

/** Asks for the tables that the row reads, as exports, and waits for them. A repeated request finds the same export. */
export const readInputs = async (
  run: Run,
  { storage, runs, now }: Pick<RunServices, 'storage' | 'runs' | 'now'>,
): Promise<StepResult> => {
  const { configuration } = await runs.snapshotOfRow(run)
  const { inputs: mappings } = readStorageMapping(configuration)

  const inputs: Run['inputs'] = []
  for (const [index, mapping] of mappings.entries()) {
    const reading = `The run may not read the table "${mapping.source}"`
    const input = run.inputs[index] ?? (await sayWhoseRights(run, reading, startExport(mapping, index)))
    const fileId = input.fileId ?? fileOf(mapping, await storage.job(input.jobId))
    inputs.push({ ...input, fileId })
  }
  if (inputs.every(({ fileId }) => fileId !== undefined))
    return { run: enterPhase({ ...run, inputs }, 'leg', now()) }
  const ageSeconds = (now().getTime() - Date.parse(run.phaseStartedAt)) / 1000
  const jobIds = inputs.flatMap(({ fileId, jobId }) => (fileId === undefined ? [jobId] : []))
  return {
    run: { ...run, inputs },
    waitSeconds: waitSecondsAt(ageSeconds),
    waitsFor: jobIds.map(executionOfJob),
  }

  async function startExport(mapping: InputMapping, index: number): Promise<Run['inputs'][number]> {
    const columns = mapping.columns?.length ? mapping.columns : (await storage.table(mapping.source)).columns
    const job = await storage.exportTable(
      {
        tableId: mapping.source,
        columns,
        changedSince: mapping.changed_since,
        whereColumn: mapping.where_column,
        whereOperator: mapping.where_operator,
        whereValues: mapping.where_values,
        whereFilters: mapping.where_filters,
        limit: mapping.limit,
      },
      `${run.id}-${run.rowIndex}-in-${index}`,
    )
    return { destination: mapping.destination ?? mapping.source, columns, jobId: job.id }
  }
}

/** The exported file, or nothing while the job is under way. */
const fileOf = ({ source }: InputMapping, job: Job): number | undefined => {
  if (job.status === 'error')
    throw new UserError(
      foreignCodeOr(job.error.code, 'extractor.run.input'),
      `The table "${source}" of the input mapping could not be read: ${job.error.message}`,
      { params: { jobId: job.id } },
    )
  return job.status === 'success' ? exportResults.parse(job.results).file.id : undefined
}
