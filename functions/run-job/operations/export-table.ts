import { PutObjectCommand } from '@aws-sdk/client-s3'
import { exportPrefix } from '../../lib/storage/files/file-prefixes.ts'
import { expiryOf, type FileRecord } from '../../lib/storage/files/file-store.ts'
import {
  type InputOf,
  type JobMetrics,
  noMetrics,
  type ProcessingJob,
} from '../../lib/storage/jobs/job-record.ts'
import { contentRevision, type ReadableTable } from '../../lib/storage/tables/aliases/resolve-alias.ts'
import { rowSource } from '../../lib/storage/tables/aliases/row-source.ts'
import { withDates } from '../../lib/storage/tables/row-selection.ts'
import { tableNotFound } from '../../lib/storage/tables/table-errors.ts'
import { isGzip, type Slice } from '../../lib/table-engine/files/export-slice.ts'
import type { RunJobServices } from '../job/services.ts'
import type { InParts, Outcome } from './outcome.ts'
import { collectSlices, planOutgrown } from './outgrown-export.ts'

/** A file that expires sooner is not reused: its reader must have time for it. */
const LEFT_TO_READ_MS = 12 * 3_600_000

/**
 * Exports a table to a sliced file, or finds the file of an identical earlier export.
 *
 * The prefix of the slices depends only on the job, and the file's record is created with the end of the job. So a
 * repeated run writes the same objects, and a listed file is complete. What outgrows one function is exported in parts by
 * the machine first; then the job runs again.
 */
export const exportTable = async (
  job: ProcessingJob,
  input: InputOf<'tableExport'>,
  ofTable: RunJobServices,
): Promise<Outcome | InParts> => {
  const services = { ...ofTable, files: filesOfExport(input, ofTable) }
  const table = await services.tables.getReadable(input.tableId)
  if (!table) throw tableNotFound(input.tableId, services.projectId)

  // The file must be one of the branch.
  const cacheKey = [input, ...(job.branchId === undefined ? [] : [job.branchId])]
  const cached = await findCached(table, cacheKey, services)
  if (cached) return outcome(await noteReader(cached, job, services), input, true)

  const target = targetOf(job, input, table, services)
  const plan = await planOutgrown(job, { input, table, target }, services)
  const exported = plan
    ? await collectSlices(job, plan, services)
    : await exportAlone({ input, table, target }, services)
  if (!exported) return { parts: plan?.parts.map((_, part) => part) ?? [] }
  services.log.info('Table exported', {
    jobId: job.id,
    tableId: `${table.bucketId}.${table.name}`,
    bytesRead: exported.bytesRead,
    ...(plan && { parts: plan.parts.length }),
  })
  const file = await makeFile(job, { input, table, target, slices: exported.slices }, services)
  const isCurrent = !plan || plan.contentRevision === contentRevision(table)
  return {
    ...outcome(file, input, false),
    decide: async () => [
      ...(await services.files.inserting(file)),
      ...(isCurrent ? [services.exports.remembering(table, cacheKey, file.id)] : []),
    ],
  }
}

/** The file may be of another branch than the table. */
const filesOfExport = (
  { fileBranchId }: InputOf<'tableExport'>,
  { files, inBranch }: Pick<RunJobServices, 'files' | 'inBranch'>,
): RunJobServices['files'] => (fileBranchId === undefined ? files : inBranch(fileBranchId).files)

const findCached = async (
  table: ReadableTable,
  cacheKey: unknown,
  { exports, files, now }: RunJobServices,
): Promise<FileRecord | undefined> => {
  const fileId = await exports.findFileId(table, cacheKey)
  const file = fileId === undefined ? undefined : await files.get(fileId)
  const leftMs = file ? (expiryOf(file)?.getTime() ?? 0) - now().getTime() : 0
  return leftMs > LEFT_TO_READ_MS ? file : undefined
}

/** The file is now of this run too, and its token may read it: it may read the table, or it could not export it. */
const noteReader = async (
  file: FileRecord,
  { runId, creatorToken }: ProcessingJob,
  { files }: RunJobServices,
): Promise<FileRecord> => {
  const { runIds, readers = [] } = file
  const isNewRun = runId !== null && !runIds.includes(runId)
  const isNewReader = ![file.creatorToken.id, ...readers].includes(creatorToken.id)
  if (!isNewRun && !isNewReader) return file
  const updated = await files.update(file.id, current => ({
    ...current,
    runIds: isNewRun ? [...new Set([...current.runIds, runId])] : current.runIds,
    ...(isNewReader && { readers: [...new Set([...(current.readers ?? []), creatorToken.id])] }),
  }))
  return updated ?? file
}

interface Exporting {
  input: InputOf<'tableExport'>
  table: ReadableTable
  /** Prefix of the slices. */
  target: { bucket: string; key: string }
}

const targetOf = (
  job: ProcessingJob,
  { fileType }: InputOf<'tableExport'>,
  table: ReadableTable,
  { filesBucket, projectId }: RunJobServices,
): Exporting['target'] => {
  const folder = `${table.bucketId.replace('.', '/')}/${table.name}`
  const key = `${exportPrefix.prefix}${projectId}/table-exports/${folder}/${job.id}.${fileType}`
  return { bucket: filesBucket, key }
}

const exportAlone = async (
  { input: { selection, fileType, gzip, timestampZone }, table, target }: Exporting,
  { tableEngine }: RunJobServices,
): Promise<{ slices: Slice[]; bytesRead: number }> => {
  const engine = await tableEngine()
  const { query, snapshot } = rowSource(table, withDates(selection))
  return engine.export({
    ...query,
    snapshot,
    fileType,
    gzip,
    ...(timestampZone !== undefined && { timestampZone }),
    target,
  })
}

const makeFile = async (
  job: ProcessingJob,
  { input, table, target: { bucket, key }, slices }: Exporting & { slices: readonly Slice[] },
  services: RunJobServices,
): Promise<FileRecord> => {
  const { s3, now, nextId } = services
  const name = `${table.name}.${input.fileType}${isGzip(input) ? '.gz' : ''}`
  const entries = slices.map(slice => ({ url: `s3://${bucket}/${slice.key}` }))
  await s3.send(
    new PutObjectCommand({
      Bucket: bucket,
      Key: `${key}manifest`,
      Body: JSON.stringify({ entries }),
      ContentType: 'application/json',
    }),
  )
  return {
    id: nextId(),
    name,
    key,
    created: now().toISOString(),
    sizeBytes: slices.reduce((sum, { bytes }) => sum + bytes, 0),
    contentType: 'application/octet-stream',
    isPublic: false,
    isSliced: true,
    isEncrypted: true,
    maxAgeDays: exportPrefix.days,
    tags: ['table-export'],
    runId: job.runId,
    runIds: job.runId === null ? [] : [job.runId],
    creatorToken: job.creatorToken,
    revision: 1,
  }
}

const outcome = (file: FileRecord, input: InputOf<'tableExport'>, cacheHit: boolean): Outcome => ({
  results: { file: { id: file.id }, cacheHit },
  metrics: exportMetrics(file.sizeBytes, isGzip(input)),
})

/** Only the compressed size of a compressed file is known, as in imports (docs/reference/storage-api.md#jobs). */
const exportMetrics = (bytes: number, isCompressed: boolean): JobMetrics => ({
  ...noMetrics,
  outCompressed: isCompressed,
  outBytes: bytes,
  outBytesUncompressed: isCompressed ? 0 : bytes,
})
