import type { DuckDbSession } from './duckdb-session.ts'
import type { IndexedFile } from './open-files.ts'
import { quoteColumn } from './parquet-sql.ts'
import type { FieldStatistics, Snapshot, TableField, TableFile } from './snapshot.ts'
import { valueLiteral } from './types/cell-sql.ts'

/**
 * The files of a table that can hold one of the keys in `staged_keys`: for each column of the key, a new value lies
 * within the bounds of the file.
 */
export const findFilesOfKeys = async (
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
