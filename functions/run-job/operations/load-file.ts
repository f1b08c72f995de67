import { HeadObjectCommand, NotFound } from '@aws-sdk/client-s3'
import { UserError } from '../../lib/errors/errors.ts'
import { exportPrefix } from '../../lib/storage/files/file-prefixes.ts'
import { readManifest } from '../../lib/storage/files/read-manifest.ts'
import type { CsvOptions, DataPlace, ProcessingJob } from '../../lib/storage/jobs/job-record.ts'
import type { TableLoad } from '../../lib/storage/tables/table-record.ts'
import type { CsvSource } from '../../lib/table-engine/load-request.ts'
import type { Snapshot } from '../../lib/table-engine/snapshot.ts'
import type { RunJobServices } from '../services.ts'
import { copyDataUrl } from './data-url.ts'
import { tableLoad } from './import-outcome.ts'
import { skipNamedHeader } from './named-header.ts'

interface LoadFileRequest extends DataPlace {
  tableId: string
  internalId: number
  current: Snapshot | undefined
  primaryKey: string[]
  incremental: boolean
  csv: CsvOptions
}

/**
 * Makes the new snapshot of a job's table from its file, as files below `tables/<internal id>/<job id>/`.
 *
 * Time and prefix depend only on the job, so a repeated run writes the same objects.
 */
export const loadFile = async (
  job: ProcessingJob,
  { internalId, fileId, dataUrl, csv, ...request }: LoadFileRequest,
  services: RunJobServices,
): Promise<{ snapshot: Snapshot; load: TableLoad }> => {
  const { tableEngine, now, log } = services
  const file = await resolveCsvSource(job, { fileId, dataUrl, csv }, services)
  // In an import the names in `columns` always mean a file without a header.
  const { source, warnings } = request.current
    ? { source: file, warnings: [] }
    : await skipNamedHeader(file, services.s3)
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
const resolveCsvSource = async (
  job: ProcessingJob,
  { fileId = 0, dataUrl, csv }: DataPlace & { csv: CsvOptions },
  services: RunJobServices,
): Promise<CsvSource> => {
  const { files, s3, filesBucket } = services
  if (dataUrl !== undefined) return copiedSource(job, dataUrl, csv, services)
  const file = await files.getReadable(fileId)
  if (!file) throw new UserError('storage.files.notFound', `The file ${fileId} was not found.`)
  if (file.isSliced) return { ...csv, isSliced: true, slices: await readManifest(s3, filesBucket, file.key) }

  try {
    await s3.send(new HeadObjectCommand({ Bucket: filesBucket, Key: file.key }))
  } catch (error) {
    if (!(error instanceof NotFound)) throw error
    throw new UserError(
      'storage.fileNotUploaded',
      `The file ${fileId} was prepared but not uploaded. Upload it to the place that files/prepare named, then import it.`,
      { cause: error },
    )
  }
  return { ...csv, isSliced: false, slices: [{ bucket: filesBucket, key: file.key }] }
}

/** The copy is kept as long as an export. Its key depends only on the job, so a repeated run finds it. */
const copiedSource = async (
  job: ProcessingJob,
  dataUrl: string,
  csv: CsvOptions,
  { s3, filesBucket, dataUrls, projectId }: RunJobServices,
): Promise<CsvSource> => {
  const copy = { bucket: filesBucket, key: `${exportPrefix.prefix}${projectId}/data-urls/${job.id}` }
  await copyDataUrl(dataUrl, copy, { s3, ...dataUrls })
  return { ...csv, isSliced: false, slices: [copy] }
}
