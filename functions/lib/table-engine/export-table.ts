import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import pLimit from 'p-limit'
import pMap from 'p-map'
import { packGroups } from '../pack-groups.ts'
import { quoteColumn, TIMESTAMP_COLUMN } from './duckdb/parquet-sql.ts'
import { quoteIdentifier, quoteLiteral } from './duckdb/sql.ts'
import type { EngineContext } from './files/engine-context.ts'
import { publishSlice, type Slice, type SliceForm, writeRows } from './files/export-slice.ts'
import { columnNames, liveRows, type Snapshot } from './files/snapshot.ts'
import type { ObjectAddress } from './files/table-files.ts'
import { mapAhead } from './map-ahead.ts'
import { findFiles, neededColumns } from './rows/find-rows.ts'
import { closeFiles, type IndexedFile, type OpenSource, openFiles } from './rows/open-files.ts'
import {
  conditionsSql,
  ORDERED_ROWS,
  type OrderBy,
  orderSql,
  type RowConditions,
  refuseUnknownColumns,
  refuseUnknownConditions,
} from './rows/row-conditions.ts'
import { scanFiles, scanOf, type WantedColumns } from './rows/scan-files.ts'
import { textSql } from './types/cell-sql.ts'
import { duckDbType } from './types/field-type.ts'

export interface ExportRequest extends RowConditions, SliceForm {
  snapshot: Snapshot
  /** In this order; default: all. */
  columns?: string[]
  /** Default: the order of the table. */
  orderBy?: OrderBy[]
  /** Default: no limit. */
  limit?: number
  /** Adds the column `_timestamp`, the time of the last change, in this zone (`UTC`, `Europe/Prague`). */
  timestampZone?: string
  /** Prefix of the slices: `<key>_0_0_<n>.csv`. */
  target: ObjectAddress
}

export interface ExportResult {
  /** In the order of the rows. At least one, which is empty when there are no rows. */
  slices: Slice[]
  rowsCount: number
}

/** A slice holds as much as this many files of the table: usually about 16 MB of CSV. */
const FILES_IN_SLICE = 4
const PARQUET_BYTES_IN_SLICE = 2.5 * 1024 * 1024

/** How many slices are compressed and uploaded at a time. */
const UPLOADS = 2

/** See `TableEngine.export`. */
export const exportTable = async (context: EngineContext, request: ExportRequest): Promise<ExportResult> => {
  const { snapshot, columns = [], orderBy = [] } = request
  refuseUnknownColumns(columnNames(snapshot), columns)
  refuseUnknownConditions(columnNames(snapshot), request)
  await context.session.fitTo(columnNames(snapshot).length)
  const isSorted = orderBy.length > 0 && snapshot.files.length > 0
  const result = await (isSorted ? exportSorted : exportInTableOrder)(context, request)
  return result.slices.length > 0 ? result : { slices: [await exportNothing(context, request)], rowsCount: 0 }
}

/** File by file: only a few are downloaded, written and uploaded at a time, however large the table is. */
const exportInTableOrder = async (context: EngineContext, request: ExportRequest): Promise<ExportResult> => {
  const { snapshot, limit = Number.POSITIVE_INFINITY } = request
  const where = conditionsSql(request, snapshot)
  // Without a condition the number of rows of a group is known in advance. With one, a limit means one group at a time.
  const mustCount = where !== undefined && limit !== Number.POSITIVE_INFINITY
  let planned = 0
  let written = 0
  const groups = async function* () {
    const found = findFiles(snapshot, request)
    for (const files of packGroups(found, ({ file }) => file.bytes, PARQUET_BYTES_IN_SLICE, FILES_IN_SLICE)) {
      const left = limit - (mustCount ? written : planned)
      if (left <= 0) return
      planned += rowsOf(files)
      yield { files, limit: mustCount || left < rowsOf(files) ? left : undefined }
    }
  }
  // Each thread writes one slice, and one more is being transferred from S3. Those that are written wait on the disk: one upload
  // after the other ends sooner than all together, and lets the next slice begin.
  const makeOne = pLimit(context.threads + 1)
  const publishOne = pLimit(UPLOADS)
  const slices = await mapAhead(groups(), mustCount ? 1 : 2 * context.threads + 2, async (group, index) => {
    const { rows, path } = await makeOne(() => writeGroup(context, request, { ...group, where, index }))
    written += rows
    return path === undefined
      ? undefined
      : publishOne(() => publishSlice(context.files, { ...request, path, index }))
  })
  return { slices: slices.filter(slice => slice !== undefined), rowsCount: written }
}

const rowsOf = (files: IndexedFile[]): number => files.reduce((sum, { file }) => sum + liveRows(file), 0)

interface Group {
  files: IndexedFile[]
  limit: number | undefined
  where: string | undefined
  index: number
}

/** `path`: of the written slice. Undefined: it has no rows. */
const writeGroup = async (
  context: EngineContext,
  request: ExportRequest,
  { files, limit, where, index }: Group,
): Promise<{ rows: number; path: string | undefined }> => {
  const { session } = context
  const { snapshot } = request
  const wanted = columnsToRead(request)
  const sources = await openFiles(context, { files, wanted })
  const path = session.scratchPath(`slice-${index}`)
  const rows = await writeRows(session, {
    path,
    fileType: request.fileType,
    select: `${selectSql(request)} FROM (${scanFiles(sources, wanted)}) AS ${ORDERED_ROWS}
      ${where === undefined ? '' : `WHERE ${where}`}
      ${isOneScan(sources, wanted) ? '' : `ORDER BY ${orderSql(snapshot, [])}`}
      ${limit === undefined ? '' : `LIMIT ${limit}`}`,
  })
  await closeFiles(sources)
  if (rows > 0) return { rows, path }
  await rm(path)
  return { rows, path: undefined }
}

/** On one thread, one scan without deletes gives the rows in their order. Several scans, or a join, may not. */
const isOneScan = (sources: OpenSource[], wanted: WantedColumns): boolean =>
  sources.every(({ deletes }) => !deletes) &&
  new Set(sources.map(source => scanOf(source, wanted))).size === 1

const SORTED_SLICE_BYTES = 16 * 1024 * 1024

/** All rows at once. Sorting needs them, and spills to disk what does not fit into memory. */
const exportSorted = async (context: EngineContext, request: ExportRequest): Promise<ExportResult> => {
  const { session, files, threads } = context
  const { snapshot, orderBy = [], limit, fileType } = request
  const wanted = columnsToRead(request)
  const sources = await openFiles(context, { files: findFiles(snapshot, request), wanted })
  if (sources.length === 0) return { slices: [], rowsCount: 0 }
  const folder = session.scratchPath('sorted')
  await mkdir(folder)
  const rowsCount = await writeRows(session, {
    path: folder,
    fileType,
    select: `${selectSql(request)} FROM (${scanFiles(sources, wanted)}) AS ${ORDERED_ROWS}
      WHERE ${conditionsSql(request, snapshot) ?? 'true'}
      ORDER BY ${orderSql(snapshot, orderBy)}
      ${limit === undefined ? '' : `LIMIT ${limit}`}`,
    // A single thread writes one file after the other, so their numbers follow the order of the rows.
    options: [`FILE_SIZE_BYTES ${SORTED_SLICE_BYTES}`],
  })
  await closeFiles(sources)
  if (rowsCount === 0) return { slices: [], rowsCount }
  const numberOf = (name: string): number => Number(/\d+/.exec(name)?.[0])
  const names = (await readdir(folder)).toSorted((a, b) => numberOf(a) - numberOf(b))
  const slices = await pMap(
    names,
    (name, index) => publishSlice(files, { ...request, path: join(folder, name), index }),
    { concurrency: threads + 1 },
  )
  return { slices, rowsCount }
}

/** The one slice of an export without rows. Some clients cannot read a manifest without any. */
const exportNothing = async (context: EngineContext, request: ExportRequest): Promise<Slice> => {
  const { session } = context
  const local = session.scratchPath('nothing')
  const values = request.snapshot.fields.map(
    ({ name, type }) => `NULL::${duckDbType(type)} AS ${quoteColumn(name)}`,
  )
  await writeRows(session, {
    path: local,
    fileType: request.fileType,
    select: `${selectSql(request)}
      FROM (SELECT ${[...values, `now()::TIMESTAMP AS ${TIMESTAMP_COLUMN}`].join(', ')}) WHERE false`,
  })
  return publishSlice(context.files, { ...request, path: local, index: 0 })
}

type Selected = Pick<ExportRequest, 'snapshot' | 'columns' | 'timestampZone' | 'fileType'>

/** A column of an export: its name, and its value as SQL over `scanFiles`. */
interface ExportedColumn {
  name: string
  sql: string
}

/** The wanted columns in their order, then the timestamp. CSV and JSON have values in their text form, Parquet as they are. */
const exportedColumns = ({ snapshot, columns, timestampZone, fileType }: Selected): ExportedColumn[] => {
  const wanted = columns && columns.length > 0 ? [...new Set(columns)] : columnNames(snapshot)
  const fields = new Map(snapshot.fields.map(field => [field.name, field]))
  const values = wanted.map((name): ExportedColumn => {
    const field = fields.get(name)
    const value = quoteColumn(name)
    return { name, sql: field && fileType !== 'parquet' ? textSql(value, field) : value }
  })
  return timestampZone === undefined
    ? values
    : [...values, { name: '_timestamp', sql: timestampText(timestampZone) }]
}

/** The columns as a SELECT list. */
const selectSql = (request: Selected): string => {
  const columns = exportedColumns(request)
  return `SELECT ${columns.map(({ name, sql }) => `${sql} AS ${quoteIdentifier(name)}`).join(', ')}`
}

/** What must be read of the table's files for an export. */
const columnsToRead = (request: Omit<ExportRequest, 'target' | 'gzip'>): WantedColumns => {
  const { snapshot, columns = [], timestampZone } = request
  return neededColumns(snapshot, {
    ...request,
    columns: columns.length > 0 ? columns : columnNames(snapshot),
    timestamp: timestampZone !== undefined,
  })
}

/** Stored times are UTC without a zone: the first conversion adds the zone, the second moves to the wanted one. */
const timestampText = (zone: string): string =>
  `strftime((${TIMESTAMP_COLUMN} AT TIME ZONE 'UTC') AT TIME ZONE ${quoteLiteral(zone)}, '%Y-%m-%d %H:%M:%S')`
