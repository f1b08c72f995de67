import { rm } from 'node:fs/promises'
import type { EngineContext } from './engine-context.ts'
import { mapAhead } from './map-ahead.ts'
import { quoteColumn, TIMESTAMP_COLUMN } from './parquet-sql.ts'
import { selectRows } from './select-rows.ts'
import { columnNames, type Snapshot, type TableField, type TableFile } from './snapshot.ts'
import { writeParquet } from './write-parquet.ts'

interface RewriteFilesRequest {
  snapshot: Snapshot
  /** Prefix of new files. The same when the work is repeated. */
  keyPrefix: string
  /** Columns of the new files. */
  fields: TableField[]
  /** The rows to keep, as an SQL condition. Default: all. */
  keep?: string
}

/**
 * Rewrites the files of a table with fewer columns or fewer rows, a few at a time however large the table is. With a
 * condition, a file that loses no row stays as it is, and one that loses all is dropped. Rows keep their order and
 * their timestamps.
 */
export const rewriteFiles = async (
  { session, files: store, threads }: EngineContext,
  { snapshot, keyPrefix, fields, keep }: RewriteFilesRequest,
): Promise<TableFile[]> => {
  await session.fitTo(columnNames(snapshot).length)
  const rewrite = async (file: TableFile, index: number): Promise<TableFile | undefined> => {
    const name = `rewritten-${String(index + 1).padStart(5, '0')}`
    const source = session.scratchPath(`${name}-source.parquet`)
    try {
      await store.download(file.key, source)
      // The condition may use columns that are dropped.
      const { values, from } = await selectRows(session, { paths: [source], columns: columnNames(snapshot) })
      const kept = `FROM (SELECT ${values} FROM ${from})${keep === undefined ? '' : ` WHERE ${keep}`}`
      const [[count] = []] = await session.runInOrder(`SELECT count(*) ${kept}`)
      if (Number(count) === 0) return undefined
      if (keep !== undefined && Number(count) === file.rows) return file
      const selected = [...fields.map(({ name: column }) => quoteColumn(column)), TIMESTAMP_COLUMN].join(', ')
      const written = await writeParquet(session, { name, fields, select: `SELECT ${selected} ${kept}` })
      const key = `${keyPrefix}${name}.parquet`
      const bytes = await store.upload(written.path, key)
      await rm(written.path)
      return { key, rows: written.rows, bytes, hasFieldIds: true }
    } finally {
      await rm(source, { force: true })
    }
  }
  const each = async function* () {
    yield* snapshot.files
  }
  const rewritten = await mapAhead(each(), threads + 1, rewrite)
  return rewritten.filter(file => file !== undefined)
}
