import type { MappingEntry } from './mapping.ts'

interface TableOfMapping {
  name: string
  columns: string[]
  primaryKey: string[]
}

/** The tables that a mapping alone makes, inner ones first: their columns in order, the parent's key last. */
export function* tablesOfMapping(
  name: string,
  entries: readonly MappingEntry[],
  parentKey?: { column: string; isPrimaryKey: boolean },
): Generator<TableOfMapping> {
  const columns: string[] = []
  const primaryKey: string[] = []
  for (const entry of entries) {
    if (entry.kind === 'table') {
      const { destination = `${name}_pk`, isPrimaryKey, isDisabled } = entry.parentKey
      const key = isDisabled ? undefined : { column: destination, isPrimaryKey }
      yield* tablesOfMapping(entry.destination, entry.entries, key)
    } else if (entry.isInHeader) {
      columns.push(entry.destination)
      if (entry.isPrimaryKey) primaryKey.push(entry.destination)
    }
  }
  if (parentKey !== undefined) {
    columns.push(parentKey.column)
    if (parentKey.isPrimaryKey) primaryKey.push(parentKey.column)
  }
  if (columns.length > 0) yield { name, columns, primaryKey }
}
