import {
  isTypedTable,
  MAX_TEXT_LENGTH,
  type NewField,
  type Snapshot,
  type TableField,
  undeclaredField,
  withFields,
} from './files/snapshot.ts'
import type { CellType, FileColumn } from './types/field-type.ts'
import { typeName } from './types/value-words.ts'

interface TypedFile {
  /** The columns, as the table calls them, in the order of the file. */
  importedColumns: string[]
  /** Of each of them. Undefined: the file has texts. */
  types: readonly FileColumn[] | undefined
}

/**
 * A table with the columns of a file that it lacks, typed as the file says. A table of texts stays one. Where the rows are replaced, columns
 * whose types nobody declared take those of the file: under new ids, since a column keeps its type as long as it lives.
 */
export const withFileTypes = (
  table: Snapshot,
  { importedColumns, types }: TypedFile,
  { isNew, retyped }: { isNew: boolean; retyped: readonly string[] },
): Snapshot => {
  const ofFile = new Map(importedColumns.map((name, place) => [name, types?.[place]]))
  const fieldOf = (name: string): NewField => {
    const found = ofFile.get(name)
    if (!found || !(isNew || isTypedTable(table))) return undeclaredField(table, name)
    return { name, type: found.type, rules: rulesOf(found, table.primaryKey.includes(name)) }
  }
  let { lastFieldId } = table
  const fields = table.fields.map((field): TableField => {
    if (!retyped.includes(field.name) || !ofFile.get(field.name)) return field
    const wanted = fieldOf(field.name)
    return isSameType(field, wanted) ? field : { ...wanted, id: ++lastFieldId }
  })
  return withFields({ ...table, fields, lastFieldId }, importedColumns.map(fieldOf))
}

const rulesOf = ({ type, isTime }: FileColumn, isKey: boolean): NewField['rules'] => ({
  nullable: !isKey,
  ...(isTime && { isTime }),
  ...(type === 'string' && !isTime && { maxLength: MAX_TEXT_LENGTH }),
})

const isSameType = (one: CellType, other: CellType): boolean =>
  one.type === other.type && one.rules?.isTime === other.rules?.isTime

/** Sentences about columns whose types a load changed. */
export const typeChanges = (before: Snapshot | undefined, after: Snapshot): string[] => {
  const known = new Map(before?.fields.map(field => [field.name, field]))
  const changes = after.fields.flatMap(field => {
    const old = known.get(field.name)
    return !old || isSameType(old, field)
      ? []
      : [`${field.name} from ${shortName(old)} to ${shortName(field)}`]
  })
  return changes.length === 0 ? [] : [`The types of the file are others than before: ${changes.join(', ')}.`]
}

const shortName = (cell: CellType): string => typeName(cell).replace(/, .*|\(16777216\)/s, '')
