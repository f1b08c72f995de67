import pMap from 'p-map'
import type { ExportDocument } from '../../lib/distributed/export-documents.ts'
import { exportPart, exportSortedRange } from '../../lib/distributed/export-part.ts'
import { bytesOf, filesToExport, planParts } from '../../lib/distributed/plan-export.ts'
import { refusalError } from '../../lib/distributed/refusal.ts'
import { UserError } from '../../lib/errors/errors.ts'
import type { InputOf, ProcessingJob } from '../../lib/storage/jobs/job-record.ts'
import { contentRevision, type ReadableTable } from '../../lib/storage/tables/aliases/resolve-alias.ts'
import { rowSource } from '../../lib/storage/tables/aliases/row-source.ts'
import { withDates, withIsoTimes } from '../../lib/storage/tables/row-selection.ts'
import type { Slice } from '../../lib/table-engine/files/export-slice.ts'
import { columnNames, withFiles } from '../../lib/table-engine/files/snapshot.ts'
import type { Distribution } from '../job/distribution.ts'
import type { RunJobServices } from '../job/services.ts'

type Plan = ExportDocument<'plan'>
type Exported = ExportDocument<'range'>

/** Sorting needs the rows, what spills of them and the sorted slices on one disk: four times as much of everything. */
const SORTED_FACTOR = 4

/** Of a part that is sorted: on the disk of a function, 10 GiB, there is room for what comes of so many. */
const SORTED_PART_BYTES = 768 * 1024 ** 2

/**
 * What the machine has to export side by side, or has exported so; `undefined` for an export that one function does. The
 * first run of a job decides it.
 *
 * Error: 400 `storage.export.tooLarge` when the parts of a sorted one are too large.
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
  const isSorted = selection.orderBy.length > 0
  if (!isOutgrown(bytesOf(files), isSorted, distribution)) return undefined
  const planned = planParts(files, source, distribution.exportPartBytes)
  if (isSorted) refuseLargeParts(bytesOf(files), planned)
  return distribution.exports.decide(job.id, 'plan', {
    contentRevision: contentRevision(table),
    selection: { ...withIsoTimes(query), where: query.where, orderBy: query.orderBy },
    fileType,
    gzip,
    ...(timestampZone !== undefined && { timestampZone }),
    snapshot: withFiles(snapshot, []),
    ...planned,
    target,
  })
}

const isOutgrown = (
  bytes: number,
  isSorted: boolean,
  { singleExportBytes }: Pick<Distribution, 'singleExportBytes'>,
): boolean => bytes > (isSorted ? singleExportBytes / SORTED_FACTOR : singleExportBytes)

const refuseLargeParts = (bytes: number, { parts, partBytes }: Pick<Plan, 'parts' | 'partBytes'>): void => {
  if (partBytes <= SORTED_PART_BYTES) return
  throw new UserError(
    'storage.export.tooLarge',
    `The export reads ${bytes} bytes of the table. To sort them, each of ${parts.length} functions would get ${partBytes}, and one ` +
      `has room for ${SORTED_PART_BYTES}. Export it without "orderBy", or fewer rows.`,
    { params: { bytes, partBytes } },
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
  const ranges = await exports.find(job.id, 'ranges')
  if (!ranges) return undefined
  const parts = await pMap(plan.parts, (_, item) => exports.read(job.id, 'part', item), {
    concurrency: READS,
  })
  for (const part of parts) if ('refusal' in part) throw refusalError(part.refusal)
  const isSorted = plan.selection.orderBy.length > 0
  const pieces = isSorted
    ? await pMap(ranges.ranges, (_, item) => exports.find(job.id, 'range', item), { concurrency: READS })
    : parts.map(part => ('slices' in part ? part : undefined))

  let left = plan.selection.limit ?? Number.POSITIVE_INFINITY
  let bytesRead = parts.reduce((sum, part) => sum + ('bytesRead' in part ? part.bytesRead : 0), 0)
  const slices: Slice[] = []
  const add = (piece: Exported): void => {
    slices.push(...piece.slices)
    left -= piece.rows
  }
  for (const [item, piece] of pieces.entries()) {
    if (!piece) return undefined
    if (left <= 0) break
    if (piece.rows <= left) add(piece)
    else {
      const engine = await tableEngine()
      const cut = isSorted
        ? await exportSortedRange(plan, { ranges, item, limit: left }, engine)
        : await exportPart(plan, { item, limit: left }, engine)
      bytesRead += cut.bytesRead
      add(cut)
    }
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
