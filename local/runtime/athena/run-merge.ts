import { randomUUID } from 'node:crypto'
import type { DataFile } from '#lib/iceberg/manifests/data-file.ts'
import { currentSchema } from '#lib/iceberg/metadata/parse-metadata.ts'
import { FILE_PATH_FIELD, type LiveFile } from '#lib/iceberg/read/live-files.ts'
import { serializeValue } from '#lib/iceberg/values/bounds.ts'
import { DELETE_FILE_IDS } from '#lib/table-engine/delete-positions.ts'
import type { DuckDbSession } from '#lib/table-engine/duckdb-session.ts'
import { quoteIdentifier, quoteLiteral } from '#lib/table-engine/sql.ts'
import { copyToParquet } from '#lib/table-engine/write-parquet.ts'
import { openIcebergTable } from './open-iceberg-table.ts'
import type { Statement, TableName } from './parse-statement.ts'
import {
  commitChange,
  dataFolder,
  type QueryRun,
  readTable,
  scannedBytes,
  storedAs,
  upload,
  type Writing,
  writeRows,
} from './query-table.ts'

/**
 * Does a MERGE as Athena does it: changed rows become position deletes (here one file of deletes for all files of rows)
 * and new rows, in one commit that moves Glue's pointer if nobody else has. Resolves to the number of changed rows.
 *
 * DuckDB runs the statement itself, on a copy of the rows that it can match.
 */
export const runMerge = async (
  { text, target: name, reads, merge }: Statement & Required<Pick<Statement, 'merge'>>,
  { s3, tables, session, queryId, onScan }: QueryRun,
): Promise<number> => {
  const [stagingName = name] = reads
  const target = await readTable(s3, tables, name)
  const staging = await readTable(s3, tables, stagingName)
  onScan(scannedBytes(target.metadata) + scannedBytes(staging.metadata))
  for (const database of new Set([name.database, stagingName.database]))
    await session.query(`CREATE SCHEMA ${quoteIdentifier(database)}`)
  const open = (table: typeof target, view: string, prefix: string) =>
    openIcebergTable({ ...table, session, s3, read: table.objects.read, view, prefix })
  const live = await open(target, 'target_rows', 'target')
  await open(staging, quoted(stagingName), 'staging')

  const { fields } = currentSchema(target.metadata)
  const columns = fields.map(field => quoteIdentifier(field.name.toLowerCase()))
  const matching = `SELECT 1 FROM (${merge.source}) s WHERE ${inDuckDb(merge.on)}`
  await session.query(
    `CREATE TABLE ${quoted(name)} AS SELECT *, false AS "$changed" FROM target_rows t WHERE EXISTS (${matching})`,
  )
  const marked = text
    .replace('\nTHEN UPDATE SET ', found => `${found}"$changed" = true, `)
    .replace(/ VALUES (?=\([^()]+\)$)/, found => ` (${columns.join(', ')})${found}`)
  await session.query(inDuckDb(marked))
  const isNew = '"$changed" OR "$file" IS NULL'
  const [[count] = []] = await session.query(`SELECT count(*) FROM ${quoted(name)} WHERE ${isNew}`)
  const rows = Number(count)
  if (rows === 0) return 0

  const writing = { s3, objects: target.objects, folder: dataFolder(target) }
  const stored = fields.map((field, index) => `${columns[index]} AS ${storedAs(field.name)}`)
  const select = `SELECT ${stored.join(', ')} FROM ${quoted(name)} WHERE ${isNew}`
  const added = [
    await writeRows(session, { ...writing, metadata: target.metadata, select }),
    ...(await writeDeletes(session, { ...writing, live, replaced: `${quoted(name)} WHERE "$changed"` })),
  ]
  await commitChange(target, { change: { added, operation: 'overwrite' }, queryId, tables })
  return rows
}

const quoted = ({ database, name }: TableName): string =>
  `${quoteIdentifier(database)}.${quoteIdentifier(name)}`

/** The same in DuckDB's words: a time of Trino has a zone, and a Date has milliseconds. Names stay as they are. */
const inDuckDb = (text: string): string =>
  text.replaceAll(/"(?:[^"]|"")+"|TIMESTAMP '([\d: .-]+) UTC'/g, (found, time?: string) =>
    time === undefined
      ? found
      : `make_timestamptz(${BigInt(Date.parse(`${time.slice(0, 23).replace(' ', 'T')}Z`)) * 1000n})`,
  )

const writeDeletes = async (
  session: DuckDbSession,
  { live, replaced, ...writing }: Writing & { live: LiveFile[]; replaced: string },
): Promise<DataFile[]> => {
  const files = await session.query(`SELECT DISTINCT "$file" FROM ${replaced}`)
  const paths = files.map(([index]) => live[Number(index)]?.file.path ?? '').sort()
  if (paths.length === 0) return []
  const path = session.scratchPath('deletes.parquet')
  const names = live.map(({ file }) => quoteLiteral(file.path)).join(', ')
  const { rows } = await copyToParquet(session, {
    select: `SELECT [${names}]["$file" + 1] AS file_path, "$pos" AS pos FROM ${replaced} ORDER BY file_path, pos`,
    ids: DELETE_FILE_IDS,
    path,
  })
  const key = `${writing.folder}${randomUUID()}-deletes.parquet`
  const bytes = await upload(writing, path, key)
  const bound = (text = '') => serializeValue('string', text)
  return [
    {
      content: 'positionDeletes',
      format: 'parquet',
      specId: 0,
      partition: new Map(),
      path: writing.objects.locationOf(key),
      rows,
      bytes,
      columns: new Map([
        [FILE_PATH_FIELD, { values: rows, nulls: 0, lower: bound(paths[0]), upper: bound(paths.at(-1)) }],
      ]),
    },
  ]
}
