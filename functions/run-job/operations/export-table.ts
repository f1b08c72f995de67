import { PutObjectCommand } from '@aws-sdk/client-s3'
import pMap from 'p-map'
import type { ExportDocument, ExportedPart } from '../../lib/distributed/export-documents.ts'
import { exportPart } from '../../lib/distributed/export-part.ts'
import { refusalError } from '../../lib/distributed/refusal.ts'
import { UserError } from '../../lib/errors/errors.ts'
import { groupBytesFor, packGroups } from '../../lib/pack-groups.ts'
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
import { withDates, withIsoTimes } from '../../lib/storage/tables/row-selection.ts'
import { tableNotFound } from '../../lib/storage/tables/table-errors.ts'
import { isGzip, type Slice } from '../../lib/table-engine/files/export-slice.ts'
import { columnNames, liveRows, type TableFile, withFiles } from '../../lib/table-engine/files/snapshot.ts'
import { findFiles } from '../../lib/table-engine/rows/find-rows.ts'
import { conditionsSql } from '../../lib/table-engine/rows/row-conditions.ts'
import type { Distribution, RunJobServices } from '../job/services.ts'
import { bytesOf } from '../merge/merge-outgrown.ts'
import type { InParts, Outcome } from './outcome.ts'

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
  const source = rowSource(table, withDates(input.selection))
  const plan = await planOutgrown(job, { input, table, source, target }, services)
  const exported = plan
    ? await collectSlices(job, plan, services)
    : await (await services.tableEngine()).export({
        ...source.query,
        ...formOf(input),
        snapshot: source.snapshot,
        target,
      })
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

type Plan = ExportDocument<'plan'>
type PlannedExport = ReturnType<typeof rowSource<ReturnType<typeof withDates>>>

const formOf = ({
  fileType,
  gzip,
  timestampZone,
}: Pick<InputOf<'tableExport'>, 'fileType' | 'gzip' | 'timestampZone'>) => ({
  fileType,
  gzip,
  ...(timestampZone !== undefined && { timestampZone }),
})

interface Exporting {
  input: InputOf<'tableExport'>
  table: ReadableTable
  /** The question to the engine. */
  source: PlannedExport
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

const makeFile = async (
  job: ProcessingJob,
  { input, table, target: { bucket, key }, slices }: Omit<Exporting, 'source'> & { slices: readonly Slice[] },
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

/**
 * What the machine has to export side by side, or has exported so; `undefined` for an export that one function does. The
 * first run of a job decides it.
 *
 * Error: 400 `storage.export.tooLarge` for one with an order that outgrows one function.
 */
const planOutgrown = async (
  job: ProcessingJob,
  { input, table, source, target }: Exporting,
  { distribution }: RunJobServices,
): Promise<Plan | undefined> => {
  const { query, snapshot } = source
  const files = filesToExport(source)
  const bytes = bytesOf(files)
  if (query.orderBy.length > 0) {
    refuseLargeOrder(bytes, distribution)
    return undefined
  }
  if (bytes <= distribution.singleExportBytes) return undefined
  return distribution.exports.decide(job.id, 'plan', {
    contentRevision: contentRevision(table),
    selection: { ...withIsoTimes(query), where: query.where, orderBy: query.orderBy },
    ...formOf(input),
    snapshot: withFiles(snapshot, []),
    parts: packGroups(files, file => file.bytes, groupBytesFor(bytes, distribution.exportPartBytes)).map(
      group => group.map(({ statistics: _, ...file }) => file),
    ),
    target,
  })
}

/** Sorting needs all rows, what spills of them and the sorted slices on one disk: four times what a merge by key needs. */
const SORTED_FACTOR = 4

const refuseLargeOrder = (
  bytes: number,
  { singleMergeBytes }: Pick<Distribution, 'singleMergeBytes'>,
): void => {
  const sortedBytes = Math.floor(singleMergeBytes / SORTED_FACTOR)
  if (bytes <= sortedBytes) return
  throw new UserError(
    'storage.export.tooLarge',
    `The export reads ${bytes} bytes of the table as Parquet, and one function sorts up to ${sortedBytes}. Export it without "orderBy" and ` +
      'sort the file, or filter the rows so that it reads less.',
    { params: { bytes, sortedBytes } },
  )
}

const READS = 16

/**
 * The slices of an export in order, up to its limit; `undefined` when the machine has not written all of them. Throws
 * the first `UserError` in the order of the table when the export cannot be done.
 */
const collectSlices = async (
  job: ProcessingJob,
  plan: Plan,
  services: RunJobServices,
): Promise<{ slices: Slice[]; bytesRead: number } | undefined> => {
  const { distribution, tableEngine } = services
  const { exports } = distribution
  const found = await pMap(plan.parts, (_, item) => exports.find(job.id, 'part', item), {
    concurrency: READS,
  })
  const parts: ExportedPart[] = []
  for (const part of found) {
    if (!part) return undefined
    if ('refusal' in part) throw refusalError(part.refusal)
    parts.push(part)
  }

  let left = plan.selection.limit ?? Number.POSITIVE_INFINITY
  let bytesRead = parts.reduce((sum, part) => sum + part.bytesRead, 0)
  const slices: Slice[] = []
  for (const [item, part] of parts.entries()) {
    if (left <= 0) break
    const isCut = part.rows > left
    const wanted = isCut ? await exportPart(plan, { item, limit: left }, await tableEngine()) : part
    if (isCut) bytesRead += wanted.bytesRead
    slices.push(...wanted.slices)
    left -= wanted.rows
  }
  return { slices: slices.length > 0 ? slices : await writeEmptySlice(plan, services), bytesRead }
}

/** Some clients cannot read a manifest without slices. */
const writeEmptySlice = async (plan: Plan, { tableEngine }: RunJobServices): Promise<Slice[]> => {
  const { snapshot, selection, target } = plan
  const columns = selection.columns ?? columnNames(snapshot)
  return (await (await tableEngine()).export({ ...formOf(plan), snapshot, columns, target })).slices
}

/** The files that an export has to read, in order: of those that can match, as many as its limit needs. */
const filesToExport = ({ snapshot, query }: PlannedExport): TableFile[] => {
  const files = findFiles(snapshot, query).map(({ file }) => file)
  if (query.limit === undefined || !countsRows({ snapshot, query })) return files
  const found: TableFile[] = []
  let rows = 0
  for (const file of files) {
    if (rows >= query.limit) break
    found.push(file)
    rows += liveRows(file)
  }
  return found
}

/** Whether each live row of a file is exported, and in the table's order: then their number is known in advance. */
const countsRows = ({ snapshot, query }: PlannedExport): boolean =>
  query.orderBy.length === 0 && conditionsSql(query, snapshot) === undefined
