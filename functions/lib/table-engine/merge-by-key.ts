import { compareValues, hasDigestOf } from './compare-rows.ts'
import { deletePositions } from './delete-positions.ts'
import type { DuckDbSession } from './duckdb/duckdb-session.ts'
import { quoteColumn, ROW_PLACE, readParquet } from './duckdb/parquet-sql.ts'
import type { EngineContext } from './files/engine-context.ts'
import {
  columnNames,
  type FieldStatistics,
  type Snapshot,
  type TableField,
  type TableFile,
} from './files/snapshot.ts'
import type { LocalFile, SnapshotFile } from './local-file.ts'
import { batchFiles, closeFiles, type IndexedFile, type OpenSource, openFiles } from './rows/open-files.ts'
import { DIGEST_COLUMN } from './rows/row-digest.ts'
import { scanFiles, type WantedColumns } from './rows/scan-files.ts'
import { valueLiteral } from './types/cell-sql.ts'
import { writeParquet } from './write-parquet.ts'

interface MergeByKeyRequest {
  /** The new rows, in the order of the file. */
  staged: LocalFile[]
  /** The table with the columns that it has after the load, and the files that the load keeps. */
  snapshot: Snapshot
  keyPrefix: string
  /** The new rows have the columns of `LOAD_ORDER`, which the table must not get. Default false. */
  hasLoadOrder?: boolean
}

interface MergedByKey {
  files: SnapshotFile[]
  /** Of each staged file: how many of its rows a later new row with the same key replaces. */
  replaced: number[]
}

/**
 * Merges new rows into a table by its primary key. Drops each old row that a new row with the same key changes. Drops
 * each new row that changes nothing, or that a later row with the same key replaces.
 *
 * Costs what it changes: only files that can hold one of the keys are read, first their keys, then the digests of their
 * rows, and values only where that is not enough. Old rows are deleted by position (see {@link deletePositions}); an
 * updated row moves to the end of the table.
 */
export const mergeByKey = async (
  context: EngineContext,
  { staged, snapshot, keyPrefix, hasLoadOrder = false }: MergeByKeyRequest,
): Promise<MergedByKey> => {
  if (staged.length === 0) return { files: snapshot.files, replaced: [] }
  const { session } = context
  await session.query('CREATE TABLE staged_drops (file_index BIGINT, file_row BIGINT)')
  await session.query('CREATE TABLE existing_drops (file_index BIGINT, file_row BIGINT)')
  const stagedPaths = staged.map(({ path }) => path)
  const hasOlderRows = snapshot.files.length > 0
  const staging = stagedRows(stagedPaths, snapshot)
  // A first load has nothing to compare with, so its keys are not held.
  if (hasOlderRows) await session.query(`CREATE TABLE staged_keys AS ${staging}`)
  const earlier = await countChanged(
    session,
    dropEarlierDuplicates(hasOlderRows ? 'staged_keys' : `(${staging})`, snapshot),
  )
  const replaced = earlier === 0 ? noneDropped : await droppedOf(session)
  let unchanged = 0
  if (hasOlderRows) {
    if (earlier > 0)
      await session.query(
        'DELETE FROM staged_keys WHERE (staged_file, staged_row) IN (SELECT (file_index, file_row) FROM staged_drops)',
      )
    unchanged = await compareWithTable(context, { snapshot, stagedPaths })
  }
  const dropped = unchanged === 0 ? replaced : await droppedOf(session)
  const kept = await deletePositions(context, { snapshot, keyPrefix, positions: 'existing_drops' })
  return {
    files: [...kept, ...(await dropStagedRows(context, { staged, snapshot, hasLoadOrder, dropped }))],
    replaced: staged.map((_, index) => replaced.get(index) ?? 0),
  }
}

const noneDropped: ReadonlyMap<number, number> = new Map()

/** Runs a statement that changes rows. Resolves to how many. */
const countChanged = async (session: DuckDbSession, sql: string): Promise<number> => {
  const [count = []] = await session.query(sql)
  return Number(count[0] ?? 0)
}

/** How many rows of each staged file are dropped, by its index. */
const droppedOf = async (session: DuckDbSession): Promise<Map<number, number>> => {
  const counts = await session.query('SELECT file_index, count(*) FROM staged_drops GROUP BY ALL')
  return new Map(counts.map(([file, count]) => [Number(file), Number(count)]))
}

/** The last record of a key wins: later lines of a file are newer. `rows`: what {@link stagedRows} reads. */
const dropEarlierDuplicates = (rows: string, table: Snapshot): string => {
  const key = table.primaryKey.map(quoteColumn).join(', ')
  return `
    INSERT INTO staged_drops
    WITH places AS (SELECT ${key}, (staged_file, staged_row) AS place FROM ${rows}),
      last AS (SELECT ${key}, max(place) AS place FROM places GROUP BY ${key} HAVING count(*) > 1)
    SELECT places.place[1], places.place[2] FROM places JOIN last ON ${sameKey(table, 'places', 'last')}
    WHERE places.place < last.place`
}

/** SELECT of the keys, digests and places of the new rows. */
const stagedRows = (paths: string[], { primaryKey }: Snapshot): string => {
  const key = primaryKey.map(quoteColumn).join(', ')
  return `
    SELECT ${key}, ${DIGEST_COLUMN} AS staged_digest, file_index AS staged_file, file_row AS staged_row
    FROM (SELECT ${key}, ${DIGEST_COLUMN}, ${ROW_PLACE} FROM ${readParquet(paths)})`
}

/**
 * Notes which old rows change, in `existing_drops`, and which new ones change nothing, in `staged_drops`. Resolves to how many
 * these are.
 */
const compareWithTable = async (
  context: EngineContext,
  { snapshot, stagedPaths }: { snapshot: Snapshot; stagedPaths: string[] },
): Promise<number> => {
  const { session } = context
  const candidates = await findFilesOfKeys(session, snapshot)
  const isKey = ({ name }: TableField): boolean => snapshot.primaryKey.includes(name)
  const wanted = { fields: snapshot.fields.filter(isKey) }
  let unchanged = 0
  for (const files of batchFiles(candidates)) {
    const sources = await openFiles(context, { files, wanted: { ...wanted, digest: true } })
    const found = await countChanged(session, pairRows({ sources, wanted, snapshot }))
    if (found > 0) {
      await compareValues(session, { sources, snapshot, stagedPaths })
      await session.query(
        'INSERT INTO existing_drops SELECT file_index, file_row FROM matches WHERE is_changed',
      )
      unchanged += await countChanged(
        session,
        'INSERT INTO staged_drops SELECT staged_file, staged_row FROM matches WHERE NOT is_changed',
      )
    }
    await closeFiles(sources)
  }
  return unchanged
}

const dropStagedRows = async (
  { session }: EngineContext,
  {
    staged,
    snapshot: { fields },
    hasLoadOrder,
    dropped,
  }: Required<Omit<MergeByKeyRequest, 'keyPrefix'>> & { dropped: ReadonlyMap<number, number> },
): Promise<LocalFile[]> => {
  const rewrite = async (file: LocalFile, index: number): Promise<LocalFile | undefined> => {
    const count = dropped.get(index) ?? 0
    if (count === 0 && !hasLoadOrder) return file
    if (count === file.rows) return undefined
    const values = [
      ...columnNames({ fields }).map(quoteColumn),
      `make_timestamp(epoch_us(_timestamp)) AS _timestamp`,
    ]
    const written = await writeParquet(session, {
      name: file.name,
      fields,
      isKeyed: true,
      path: session.scratchPath(`${file.name}-without-dropped.parquet`),
      select: `SELECT ${values.join(', ')} FROM ${readParquet([file.path])}
        WHERE file_row_number NOT IN (SELECT file_row FROM staged_drops WHERE file_index = ${index})`,
    })
    if (written.rows !== file.rows - count) {
      throw new Error(`${file.name} has ${written.rows} rows instead of ${file.rows} less ${count}.`)
    }
    return written
  }
  // The session bounds how many run at a time.
  const files = await Promise.all(staged.map(rewrite))
  return files.filter(file => file !== undefined)
}

interface PairRowsRequest {
  sources: OpenSource[]
  /** The columns of the key. They and the digests are here. */
  wanted: WantedColumns
  snapshot: Snapshot
}

/**
 * Pairs the new rows in `staged_keys` with the old rows of the same key, in a new table `matches`. Different digests say that a value
 * differs, at the cost of 4 bytes for each row. Equal ones say nothing, nor do those of a file that has other columns: `is_changed` is NULL.
 */
const pairRows = ({ sources, wanted, snapshot }: PairRowsRequest): string => {
  const digested = sources.filter(source => hasDigestOf(source, snapshot.fields))
  const others = sources.filter(source => !digested.includes(source))
  const old = [
    ...(digested.length > 0 ? [scanFiles(digested, { ...wanted, digest: true })] : []),
    ...(others.length > 0 ? [`SELECT *, NULL AS ${DIGEST_COLUMN} FROM (${scanFiles(others, wanted)})`] : []),
  ]
  return `
    CREATE OR REPLACE TABLE matches AS
    SELECT staged_file, staged_row, file_index, file_row,
      CASE WHEN staged_digest <> old.${DIGEST_COLUMN} THEN true END AS is_changed
    FROM (${old.map(rows => `(${rows})`).join(' UNION ALL BY NAME ')}) AS old
    JOIN staged_keys ON ${sameKey(snapshot, 'old', 'staged_keys')}`
}

/** Whether the rows of two relations have the same primary key. In a typed table NULL equals NULL there. */
const sameKey = (
  { fields, primaryKey }: Pick<Snapshot, 'fields' | 'primaryKey'>,
  one: string,
  other: string,
): string => {
  const nullable = new Set(fields.filter(({ rules }) => rules?.nullable).map(({ name }) => name))
  return primaryKey
    .map(name => {
      const column = quoteColumn(name)
      return `${one}.${column} ${nullable.has(name) ? 'IS NOT DISTINCT FROM' : '='} ${other}.${column}`
    })
    .join(' AND ')
}

/**
 * The files of a table that can hold one of the keys in `staged_keys`: for each column of the key, a new value lies
 * within the bounds of the file.
 */
const findFilesOfKeys = async (
  session: DuckDbSession,
  { files, fields, primaryKey }: Snapshot,
): Promise<IndexedFile[]> => {
  let candidates = files.map((file, index) => ({ file, index }))
  for (const field of fields.filter(({ name }) => primaryKey.includes(name))) {
    const [unbounded, bounded] = splitByBounds(candidates, ({ statistics }) => statistics?.[field.id])
    const found = await findOverlaps(session, { field, bounded })
    candidates = [...unbounded, ...bounded.filter(({ index }) => found.has(index))]
  }
  return candidates.toSorted((a, b) => a.index - b.index)
}

interface BoundedFile extends IndexedFile {
  lower: string
  /** Undefined: no bound. */
  upper: string | undefined
}

const splitByBounds = (
  files: IndexedFile[],
  boundsOf: (file: TableFile) => FieldStatistics | undefined,
): [IndexedFile[], BoundedFile[]] => {
  const unbounded: IndexedFile[] = []
  const bounded: BoundedFile[] = []
  for (const { file, index } of files) {
    const { lower, upper, nulls } = boundsOf(file) ?? {}
    // A key may be NULL, which lies within no bounds.
    if (lower === undefined || nulls !== 0) unbounded.push({ file, index })
    else bounded.push({ file, index, lower, upper })
  }
  return [unbounded, bounded]
}

/** For each file the least new value that is not below its lower bound. The file counts if its upper bound allows it. */
const findOverlaps = async (
  session: DuckDbSession,
  { field: { name, type }, bounded }: { field: TableField; bounded: BoundedFile[] },
): Promise<Set<number>> => {
  if (bounded.length === 0) return new Set()
  const rows = bounded.map(
    ({ index, lower, upper }) =>
      `(${index}, ${valueLiteral(type, lower)}, ${upper === undefined ? 'NULL' : valueLiteral(type, upper)})`,
  )
  const found = await session.query(`
    SELECT index FROM (VALUES ${rows.join(', ')}) AS files(index, lower, upper)
    ASOF JOIN (SELECT ${quoteColumn(name)} AS value FROM staged_keys) AS new ON files.lower <= new.value
    WHERE upper IS NULL OR new.value <= upper`)
  return new Set(found.map(([index]) => Number(index)))
}
