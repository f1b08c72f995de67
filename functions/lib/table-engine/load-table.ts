import { UserError } from '../errors/errors.ts'
import type { ColumnMapping } from './csv/map-columns.ts'
import { detectsTypes, detectTypes } from './detect-types.ts'
import type { EngineContext } from './files/engine-context.ts'
import type { LoadRequest, LoadResult } from './files/load-request.ts'
import { columnNames, emptySnapshot, type Snapshot, sum, withFiles } from './files/snapshot.ts'
import { typeChanges, withFileTypes } from './inferred-types.ts'
import { isLocal, type LocalFile, type SnapshotFile } from './local-file.ts'
import { mapAhead } from './map-ahead.ts'
import { mergeByKey } from './merge-by-key.ts'
import { createPublish, type Publish } from './publish-file.ts'
import { publishLoad } from './publish-load.ts'
import { type OpenedSource, readSource } from './read-source.ts'
import { cellsOf } from './source-columns.ts'
import { stageChunk } from './stage-chunk.ts'
import type { FileColumn } from './types/field-type.ts'

/** See `TableEngine.load`. */
export const loadTable = async (context: EngineContext, request: LoadRequest): Promise<LoadResult> => {
  const types = detectsTypes(request) ? await detectTypes(context, request) : undefined
  const opened = await readSource(context, { source: request.source, table: request })
  try {
    return await loadOpened(context, request, { opened, types })
  } finally {
    await opened.close()
  }
}

const loadOpened = async (
  context: EngineContext,
  request: LoadRequest,
  { opened, types }: { opened: OpenedSource; types: FileColumn[] | undefined },
): Promise<LoadResult> => {
  // The types of a file are its own; those that its values show are no word of it.
  const table = tableForLoad(request, { ...opened, types: opened.types ?? types })
  await context.session.fitTo(table.fields.length)
  const staged = await stageSource(context, { request, opened, table, name: 'part' })
  const { snapshot, replaced } = await mergeStaged(context, request, { table, staged })
  return {
    snapshot,
    importedColumns: opened.mapping.importedColumns,
    importedRowsCount: sum(staged.map(({ rows }) => rows)),
    replacedRowsCount: sum(replaced),
    renamed: opened.mapping.renamed,
    warnings: [...opened.warnings, ...typeChanges(request.current, table)],
    ...opened.progress,
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

interface StageSourceRequest {
  request: LoadRequest
  opened: OpenedSource
  /** With the columns that it has after the load. */
  table: Snapshot
  /** Begins the names of the files; unique in the session. */
  name: string
}

/** The rows of a source as Parquet files: local ones, and such as have been stored because they are final. */
export const stageSource = async (
  context: EngineContext,
  { request, opened, table: { fields, primaryKey }, name }: StageSourceRequest,
): Promise<SnapshotFile[]> => {
  const { session, threads, limits, roundsNumbers } = context
  const { mapping, types, hasOwnNames: isMarked } = opened
  const neverNull = isMarked ? primaryKey : []
  const columns = cellsOf(fields, {
    importedColumns: mapping.importedColumns,
    types,
    neverNull,
    roundsNumbers,
  })
  const isKeyed = primaryKey.length > 0
  const publish = createPublish(context, { keyPrefix: request.keyPrefix, fields })
  // With a primary key, rows may still be dropped. Without one, the files are final.
  const finish = isKeyed
    ? async (file: LocalFile) => file
    : publishUnlessSmall(publish, limits.smallFileBytes)
  let rowsRead = 0
  // Two chunks more than threads: one is on disk when a thread is free, while the file of another is uploaded.
  return mapAhead(opened.chunks, threads + 2, async (chunk, index) => {
    const staged = await stageChunk(session, {
      chunk,
      dialect: opened.dialect,
      columns,
      loadedAt: request.loadedAt,
      isKeyed,
      treatValuesAsNull: request.source.treatValuesAsNull ?? [],
      hidesCells: request.source.hidesCells,
      isMarked,
      name: `${name}-${String(index + 1).padStart(5, '0')}`,
    })
    rowsRead += staged.rows
    request.onRows?.(rowsRead)
    return finish(staged)
  })
}

/** Large files are uploaded while others are still being written. Small ones may be merged first. */
const publishUnlessSmall =
  (publish: Publish, smallFileBytes: number) =>
  async (file: LocalFile): Promise<SnapshotFile> =>
    file.bytes < smallFileBytes ? file : publish(file)

const refuseUnknownKey = (primaryKey: string[], columns: string[]): void => {
  const unknown = primaryKey.filter(column => !columns.includes(column))
  if (unknown.length === 0) return
  throw new UserError(
    'storage.tables.validation.invalidPrimaryKeyColumns',
    `The primary key names columns that the table does not have: ${unknown.join(', ')}. Its columns are: ${columns.join(', ')}.`,
    { params: { unknownColumns: unknown } },
  )
}
