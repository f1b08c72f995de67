import pMap from 'p-map'
import { UserError } from '../errors/errors.ts'
import { compactFiles } from './compact-files.ts'
import type { ColumnMapping } from './csv/map-columns.ts'
import { detectsTypes, detectTypes } from './detect-types.ts'
import type { EngineContext } from './files/engine-context.ts'
import type { LoadRequest, LoadResult } from './files/load-request.ts'
import {
  columnNames,
  emptySnapshot,
  type Snapshot,
  sum,
  type TableFile,
  withFiles,
} from './files/snapshot.ts'
import { TRANSFERS } from './files/table-files.ts'
import { typeChanges, withFileTypes } from './inferred-types.ts'
import { createPublish, isLocal, type LocalFile, type SnapshotFile } from './local-file.ts'
import { mergeByKey } from './merge-by-key.ts'
import { openTableFile } from './parquet/open-table-file.ts'
import { readSource } from './read-source.ts'
import { stageChunks } from './stage-chunk.ts'
import type { FileColumn } from './types/field-type.ts'

/** See `TableEngine.load`. */
export const loadTable = async (context: EngineContext, request: LoadRequest): Promise<LoadResult> => {
  const types = detectsTypes(request) ? await detectTypes(context, request) : undefined
  const { table, files, load } = await stageSource(context, request, { name: 'part', types })
  const { snapshot, replaced } = await mergeStaged(context, request, { table, staged: files })
  return { ...load, snapshot, replacedRowsCount: sum(replaced) }
}

/** What a source has brought, with the table that has its columns. How many of its rows others replace is known when all are merged. */
interface StagedSource {
  table: Snapshot
  /** Local ones, and such as have been stored because they are final. */
  files: SnapshotFile[]
  load: Omit<LoadResult, 'snapshot'>
}

interface StageOptions {
  /** Begins the names of the files; unique in the session. */
  name: string
  /** Those that the values of the source show. What a file says of its types goes before. */
  types?: FileColumn[] | undefined
  /** The table that the session is made for: the source may not add columns to it. Default: the session is made for the source. */
  within?: Snapshot
}

/** The source adds columns to a table that may get none. */
export class AddsColumns extends Error {}

/** Reads a source and writes its rows as Parquet files. Throws `AddsColumns`, and `UserError` for what is wrong with it. */
export const stageSource = async (
  context: EngineContext,
  request: LoadRequest,
  { name, types, within }: StageOptions,
): Promise<StagedSource> => {
  const { smallFileBytes } = context.limits
  const opened = await readSource(context, request)
  try {
    const { mapping, source } = opened
    // The types of a file are its own; those that its values show are no word of it.
    const table = tableForLoad(request, { mapping, types: opened.types ?? types })
    if (!within) await context.session.fitTo(table.fields.length)
    else if (table.fields.length > within.fields.length) throw new AddsColumns()
    const publish = createPublish(context, { keyPrefix: request.keyPrefix, fields: table.fields })
    let rowsRead = 0
    const finish = async (file: LocalFile): Promise<SnapshotFile> => {
      rowsRead += file.rows
      request.onRows?.(rowsRead)
      // With a primary key, rows may still be dropped. Without one, large files are uploaded while others are still being written;
      // small ones may be joined first.
      return table.primaryKey.length > 0 || file.bytes < smallFileBytes ? file : publish(file)
    }
    const staged = { ...mapping, chunks: opened.chunks, source, types: opened.types, table, name }
    const files = await stageChunks(context, { ...staged, loadedAt: request.loadedAt }, finish)
    const load = {
      importedColumns: mapping.importedColumns,
      importedRowsCount: rowsRead,
      replacedRowsCount: 0,
      renamed: mapping.renamed,
      warnings: [...opened.warnings, ...typeChanges(request.current, table)],
      ...opened.progress,
    }
    return { table, files, load }
  } finally {
    await opened.close()
  }
}

/** The snapshot of the table with the staged rows, and how many of each staged file later ones replace. */
export const mergeStaged = async (
  context: EngineContext,
  { keyPrefix, incremental }: Pick<LoadRequest, 'keyPrefix' | 'incremental'>,
  {
    table,
    staged,
    hasLoadOrder = false,
  }: { table: Snapshot; staged: SnapshotFile[]; hasLoadOrder?: boolean },
): Promise<{ snapshot: Snapshot; replaced: number[] }> => {
  const { primaryKey } = table
  const kept = withFiles(table, incremental ? table.files : [])
  const { files, replaced } =
    primaryKey.length > 0
      ? await mergeByKey(context, { staged: staged.filter(isLocal), snapshot: kept, keyPrefix, hasLoadOrder })
      : { files: [...kept.files, ...staged], replaced: [] }
  return { snapshot: await publishLoad(context, { table, kept, files, keyPrefix }), replaced }
}

export interface CommitStagedRequest {
  /** The table with the columns that it has after the load, and the files from before. */
  table: Snapshot
  /** The files of `TableEngine.stageRange`, in the order of the load. */
  staged: TableFile[]
  /** Adds rows and replaces those with the same primary key. False: replaces all rows. */
  incremental: boolean
  /** Prefix of new files, other than that of the staged ones. The same when the commit is repeated. */
  keyPrefix: string
}

/** See `TableEngine.commitStaged`. */
export const commitStaged = async (
  context: EngineContext,
  { table, staged, incremental, keyPrefix }: CommitStagedRequest,
): Promise<{ snapshot: Snapshot; replacedRowsCount: number }> => {
  await context.session.fitTo(table.fields.length)
  const brought =
    table.primaryKey.length === 0
      ? staged
      : await pMap(staged, (file, index) => bring(context, file, index), { concurrency: TRANSFERS })
  const request = { table, staged: brought, hasLoadOrder: true }
  const { snapshot, replaced } = await mergeStaged(context, { keyPrefix, incremental }, request)
  return { snapshot, replacedRowsCount: sum(replaced) }
}

/** A staged file, whole, in the session's folder. */
const bring = async (context: EngineContext, file: TableFile, index: number): Promise<LocalFile> => {
  const name = `staged-${String(index + 1).padStart(5, '0')}`
  const { path, footer, fetch } = await openTableFile(context, file, name)
  await fetch(footer.columns.map((_, place) => place))
  return { path, name, rows: file.rows, bytes: file.bytes, footer }
}

interface PublishLoadRequest {
  /** The table with the columns that it has after the load. */
  table: Snapshot
  /** It with the files of before that stay, as far as they do. */
  kept: Snapshot
  /** All files after the load. */
  files: SnapshotFile[]
  keyPrefix: string
}

/**
 * Stores the files of a load, and joins small ones. Where older files are among these, the snapshot says which files there were before:
 * who reads a table by its increments must see what the load brought apart from what it only wrote anew.
 */
const publishLoad = async (
  context: EngineContext,
  { table, kept, files, keyPrefix }: PublishLoadRequest,
): Promise<Snapshot> => {
  const publish = createPublish(context, { keyPrefix, fields: table.fields })
  const publishAll = (each: SnapshotFile[]) =>
    pMap(each, async file => (isLocal(file) ? publish(file) : file), { concurrency: TRANSFERS })
  const older = new Set(kept.files.map(({ key }) => key))
  const isOlder = (file: SnapshotFile) => !isLocal(file) && older.has(file.key)
  const brought = files.filter(file => !isOlder(file))
  const joined = new Set(await compactFiles(context, { files: brought, snapshot: kept, name: 'joined' }))
  const stay = files.filter(file => isOlder(file) || joined.has(file))
  const loaded = await publishAll([...stay, ...joined.difference(new Set(files))])
  if (older.size === 0) return withFiles(table, loaded)
  const compacted = await compactFiles(context, { files: loaded, snapshot: kept, name: 'merged' })
  if (!compacted.some(isLocal)) return withFiles(table, loaded)
  return { ...withFiles(table, await publishAll(compacted)), joinedFrom: loaded }
}

/**
 * The table with the columns that it has after the load, and the files from before. Throws `UserError` when it would
 * lack a column of its key.
 */
export const tableForLoad = (
  {
    current,
    primaryKey,
    incremental,
    inferredColumns = [],
  }: Pick<LoadRequest, 'current' | 'primaryKey' | 'incremental' | 'inferredColumns'>,
  { mapping: { importedColumns }, types }: { mapping: ColumnMapping; types?: FileColumn[] | undefined },
): Snapshot => {
  const table = withFileTypes(
    current ?? emptySnapshot([], primaryKey),
    { importedColumns, types },
    { isNew: current === undefined, retyped: incremental ? [] : inferredColumns },
  )
  refuseUnknownKey(table.primaryKey, columnNames(table))
  return table
}

const refuseUnknownKey = (primaryKey: string[], columns: string[]): void => {
  const unknown = primaryKey.filter(column => !columns.includes(column))
  if (unknown.length === 0) return
  throw new UserError(
    'storage.tables.validation.invalidPrimaryKeyColumns',
    `The primary key names columns that the table does not have: ${unknown.join(', ')}. Its columns are: ${columns.join(', ')}.`,
    { params: { unknownColumns: unknown } },
  )
}
