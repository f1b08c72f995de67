import type { DuckDbSession } from './duckdb-session.ts'
import type { IndexedFile } from './open-files.ts'
import { quoteColumn } from './parquet-sql.ts'
import type { FieldStatistics, Snapshot, TableFile } from './snapshot.ts'
import { quoteLiteral } from './sql.ts'

/**
 * The files of a table that can hold one of the keys in `staged_keys`: for each column of the key, a new value lies
 * within the bounds of the file.
 */
export const findFilesOfKeys = async (
  session: DuckDbSession,
  { files, fields, primaryKey }: Snapshot,
): Promise<IndexedFile[]> => {
  let candidates = files.map((file, index) => ({ file, index }))
  for (const { id, name } of fields.filter(field => primaryKey.includes(field.name))) {
    const [unbounded, bounded] = splitByBounds(candidates, ({ statistics }) => statistics?.[id])
    const found = await findOverlaps(session, { column: quoteColumn(name), bounded })
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
    const { lower, upper } = boundsOf(file) ?? {}
    if (lower === undefined) unbounded.push({ file, index })
    else bounded.push({ file, index, lower, upper })
  }
  return [unbounded, bounded]
}

/** For each file the least new value that is not below its lower bound. The file counts if its upper bound allows it. */
const findOverlaps = async (
  session: DuckDbSession,
  { column, bounded }: { column: string; bounded: BoundedFile[] },
): Promise<Set<number>> => {
  if (bounded.length === 0) return new Set()
  const rows = bounded.map(
    ({ index, lower, upper }) =>
      `(${index}, ${quoteLiteral(lower)}, ${upper === undefined ? 'NULL' : quoteLiteral(upper)})`,
  )
  const found = await session.query(`
    SELECT index FROM (VALUES ${rows.join(', ')}) AS files(index, lower, upper)
    ASOF JOIN (SELECT ${column} AS value FROM staged_keys) AS new ON files.lower <= new.value
    WHERE upper IS NULL OR new.value <= upper`)
  return new Set(found.map(([index]) => Number(index)))
}
