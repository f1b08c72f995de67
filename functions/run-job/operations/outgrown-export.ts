import pMap from 'p-map'
import type { ExportDocument, ExportedPart } from '../../lib/distributed/export-documents.ts'
import { exportPart } from '../../lib/distributed/export-part.ts'
import { refusalError } from '../../lib/distributed/refusal.ts'
import { UserError } from '../../lib/errors/errors.ts'
import { groupBytesFor, packGroups } from '../../lib/pack-groups.ts'
import type { InputOf, ProcessingJob } from '../../lib/storage/jobs/job-record.ts'
import { contentRevision, type ReadableTable } from '../../lib/storage/tables/aliases/resolve-alias.ts'
import { rowSource } from '../../lib/storage/tables/aliases/row-source.ts'
import { withDates, withIsoTimes } from '../../lib/storage/tables/row-selection.ts'
import type { Slice } from '../../lib/table-engine/files/export-slice.ts'
import { columnNames, liveRows, type TableFile, withFiles } from '../../lib/table-engine/files/snapshot.ts'
import { findFiles } from '../../lib/table-engine/rows/find-rows.ts'
import { conditionsSql } from '../../lib/table-engine/rows/row-conditions.ts'
import type { Distribution, RunJobServices } from '../job/services.ts'
import { bytesOf } from '../merge/merge-outgrown.ts'

type Plan = ExportDocument<'plan'>

/**
 * What the machine has to export side by side, or has exported so; `undefined` for an export that one function does. The
 * first run of a job decides it.
 *
 * Error: 400 `storage.export.tooLarge` for one with an order that outgrows one function.
 */
export const planOutgrown = async (
  job: ProcessingJob,
  { input, table, target }: { input: InputOf<'tableExport'>; table: ReadableTable; target: Plan['target'] },
  { distribution }: RunJobServices,
): Promise<Plan | undefined> => {
  const { selection, fileType, gzip, timestampZone } = input
  const source = rowSource(table, withDates(selection))
  const { query, snapshot } = source
  const files = filesToExport(source)
  const bytes = bytesOf(files)
  if (selection.orderBy.length > 0) {
    refuseLargeOrder(bytes, distribution)
    return undefined
  }
  if (bytes <= distribution.singleExportBytes) return undefined
  return distribution.exports.decide(job.id, 'plan', {
    contentRevision: contentRevision(table),
    selection: { ...withIsoTimes(query), where: query.where, orderBy: query.orderBy },
    fileType,
    gzip,
    ...(timestampZone !== undefined && { timestampZone }),
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

interface Collected {
  slices: Slice[]
  bytesRead: number
}

/**
 * The slices of an export in order, up to its limit; `undefined` when the machine has not written all of them. Throws
 * the first `UserError` in the order of the table when the export cannot be done.
 */
export const collectSlices = async (
  job: ProcessingJob,
  plan: Plan,
  { distribution: { exports }, tableEngine }: RunJobServices,
): Promise<Collected | undefined> => {
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
  return { slices: slices.length > 0 ? slices : await writeEmptySlice(plan, await tableEngine()), bytesRead }
}

/** Some clients cannot read a manifest without slices. */
const writeEmptySlice = async (
  { snapshot, selection, fileType, gzip, timestampZone, target }: Plan,
  engine: Awaited<ReturnType<RunJobServices['tableEngine']>>,
): Promise<Slice[]> => {
  const { slices } = await engine.export({
    snapshot,
    columns: selection.columns ?? columnNames(snapshot),
    fileType,
    gzip,
    ...(timestampZone !== undefined && { timestampZone }),
    target,
  })
  return slices
}

type PlannedExport = ReturnType<typeof rowSource<ReturnType<typeof withDates>>>

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
