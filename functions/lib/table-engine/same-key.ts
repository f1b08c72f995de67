import { quoteColumn } from './parquet-sql.ts'
import type { Snapshot } from './snapshot.ts'

/** Whether the rows of two relations have the same primary key. In a typed table NULL equals NULL there. */
export const sameKey = (
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
