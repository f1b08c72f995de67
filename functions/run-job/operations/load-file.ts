import type { CsvOptions, ProcessingJob } from '../../lib/storage/jobs/job-record.ts'
import type { TableLoad } from '../../lib/storage/tables/table-record.ts'
import type { Snapshot } from '../../lib/table-engine/snapshot.ts'
import { resolveCsvSource } from '../csv-source.ts'
import type { RunJobServices } from '../services.ts'
import { tableLoad } from './import-outcome.ts'

interface LoadFileRequest {
  tableId: string
  internalId: number
  current: Snapshot | undefined
  primaryKey: string[]
  incremental: boolean
  fileId: number
  csv: CsvOptions
}

/**
 * Makes the new snapshot of a job's table from its file, as files below `tables/<internal id>/<job id>/`.
 *
 * Time and prefix depend only on the job, so a repeated run writes the same objects.
 */
export const loadFile = async (
  job: ProcessingJob,
  { internalId, fileId, csv, ...request }: LoadFileRequest,
  services: RunJobServices,
): Promise<{ snapshot: Snapshot; load: TableLoad }> => {
  const { tableEngine, now } = services
  const source = await resolveCsvSource(fileId, csv, services)
  const engine = await tableEngine()
  const startedAt = now().getTime()
  const result = await engine.load({
    ...request,
    keyPrefix: `tables/${internalId}/${job.id}/`,
    loadedAt: new Date(job.startTime),
    source,
  })
  const durationSeconds = (now().getTime() - startedAt) / 1000
  return { snapshot: result.snapshot, load: tableLoad(job.id, result, durationSeconds) }
}
