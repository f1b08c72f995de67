import { isOutgrown } from '../../lib/distributed/load-limits.ts'
import { UserError } from '../../lib/errors/errors.ts'
import { exportPrefix } from '../../lib/storage/files/file-prefixes.ts'
import { listSlices } from '../../lib/storage/files/list-slices.ts'
import type { CsvOptions, DataPlace, ProcessingJob } from '../../lib/storage/jobs/job-record.ts'
import { mapDataUrl } from '../../lib/storage/secrets/sealed-data-url.ts'
import { createFileMissing } from '../../lib/table-engine/s3-table-files.ts'
import type { Snapshot } from '../../lib/table-engine/snapshot.ts'
import type { RunJobServices } from '../services.ts'
import { copyDataUrl } from './data-url.ts'
import { tableLoad } from './import-outcome.ts'
import type { NewTable } from './insert-table.ts'
import { skipNamedHeader } from './named-header.ts'
import { type LoadedContent, loadOutgrown, type PinnedSource } from './outgrown-load.ts'

interface LoadFileRequest extends DataPlace {
  tableId: string
  internalId: number
  current: Snapshot | undefined
  primaryKey: string[]
  incremental: boolean
  csv: CsvOptions
  /** The names of the table that the load creates. */
  newTable?: NewTable | undefined
  /** What the job will say beside the warnings of the load. */
  tableWarnings?: string[] | undefined
}

/**
 * Makes the new snapshot of a job's table from its file, as files below `tables/<internal id>/<job id>/`.
 *
 * Time and prefix depend only on the job, so a repeated run writes the same objects. Throws `OutgrownLoad` when the machine
 * has to stage the rows first.
 */
export const loadFile = async (
  job: ProcessingJob,
  { internalId, fileId, dataUrl, csv, ...request }: LoadFileRequest,
  services: RunJobServices,
): Promise<LoadedContent> => {
  const { tableEngine, now, log } = services
  const pinned = await resolveCsvSource(job, { fileId, dataUrl, csv }, services)
  // In an import the names in `columns` always mean a file without a header.
  const { source, warnings } = request.current
    ? { source: pinned, warnings: [] }
    : await skipNamedHeader(pinned, services.s3)
  if (isOutgrown(source.slices, services.distribution))
    return loadOutgrown(job, { ...request, internalId, source, warnings }, services)

  const engine = await tableEngine()
  const startedAt = now().getTime()
  const result = await engine.load({
    ...request,
    keyPrefix: `tables/${internalId}/${job.id}/`,
    loadedAt: new Date(job.startTime),
    source,
  })
  log.info('File loaded', { jobId: job.id, tableId: request.tableId, bytesRead: result.bytesRead })
  const durationSeconds = (now().getTime() - startedAt) / 1000
  const load = tableLoad(job.id, result, durationSeconds)
  return { snapshot: result.snapshot, load: { ...load, warnings: [...warnings, ...load.warnings] } }
}

/**
 * Where the data of a load is: the object of a file resource, the slices of its manifest, or a copy of what an address
 * holds, made by this job.
 *
 * Errors: `storage.files.notFound`, `storage.fileNotUploaded`, those of the manifest, and `storage.dataUrl.…`.
 */
export const resolveCsvSource = async (
  job: Pick<ProcessingJob, 'id'>,
  { fileId = 0, dataUrl, csv }: DataPlace & { csv: CsvOptions },
  services: RunJobServices,
): Promise<PinnedSource> => {
  const { files, s3, filesBucket } = services
  if (dataUrl !== undefined) return copiedSource(job, dataUrl, csv, services)
  const file = await files.getReadable(fileId)
  if (!file) throw new UserError('storage.files.notFound', `The file ${fileId} was not found.`)
  const { key, isSliced } = file
  const notUploaded = (_: string, cause: Error): UserError =>
    new UserError(
      'storage.fileNotUploaded',
      `The file ${fileId} was prepared but not uploaded. Upload it to the place that files/prepare named, then import it.`,
      { cause },
    )
  const place = { s3, bucket: filesBucket, key, isSliced }
  return { ...csv, isSliced, slices: await listSlices(place, isSliced ? createFileMissing : notUploaded) }
}

/** The copy is kept as long as an export. Its key depends only on the job, so a repeated run finds it. */
const copiedSource = async (
  job: Pick<ProcessingJob, 'id'>,
  dataUrl: string,
  csv: CsvOptions,
  { s3, filesBucket, dataUrls, projectId }: RunJobServices,
): Promise<PinnedSource> => {
  const copy = { bucket: filesBucket, key: `${exportPrefix.prefix}${projectId}/data-urls/${job.id}` }
  await copyDataUrl(await mapDataUrl(dataUrl, projectId, dataUrls.open), copy, { s3, ...dataUrls })
  return { ...csv, isSliced: false, slices: await listSlices({ s3, ...copy, isSliced: false }) }
}
