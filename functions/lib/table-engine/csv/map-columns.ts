import { UserError } from '../../errors/errors.ts'
import { MAX_COLUMN_NAME_LENGTH, MAX_COLUMNS, sanitizeColumnName } from './column-names.ts'

interface MapColumnsRequest {
  /** The names in the file's header or in the parameter `columns`, as the user wrote them. */
  names: string[]
  /** The columns of the existing table. Undefined: the table will be created. */
  tableColumns: string[] | undefined
  /** As the user wrote it, for the hint. Undefined: the file has none. */
  delimiter: string | undefined
  /** Why the file may not lack some columns of the table; see `mayLack`. Default: it may lack none, as clients know it. */
  whyNeeded?: ((columns: string[]) => string | undefined) | undefined
}

export interface ColumnMapping {
  /** The column names, in the order of the file. */
  importedColumns: string[]
  /** The columns of the table in their order, then new ones in the order of the file. */
  tableColumns: string[]
  /** New columns that have another name than the file gives them. */
  renamed: RenamedColumn[]
}

export interface RenamedColumn {
  column: string
  heading: string
}

/**
 * Maps the columns of a file to the columns of a table by name (docs/reference/storage-api.md#column-names),
 * case-sensitively.
 *
 * Throws `UserError`: `csvImport.columnsNotMatch` when the file lacks columns of the table,
 * `storage.tables.validation.invalidColumnName` when a name becomes empty or two differ only in case,
 * `storage.maxNumberOfColumnsExceed`.
 */
export const mapColumns = ({
  names,
  tableColumns,
  delimiter,
  whyNeeded,
}: MapColumnsRequest): ColumnMapping => {
  const importedColumns = names.map(sanitizeColumnName)
  const missingColumns = tableColumns?.filter(column => !importedColumns.includes(column)) ?? []
  if (tableColumns && missingColumns.length > 0) {
    // Of a file that has nothing of the table, the first line is no header, or it is another table's.
    const isOther = missingColumns.length === tableColumns.length
    const reason = whyNeeded?.(missingColumns)
    if (!whyNeeded || isOther || reason !== undefined)
      throw createColumnsNotMatch({ missingColumns, expectedColumns: tableColumns, delimiter, reason })
  }
  refuseInvalidNames(names, importedColumns)
  refuseDuplicates(importedColumns)
  const known = new Set(tableColumns)
  const allColumns = [...known, ...importedColumns.filter(column => !known.has(column))]
  if (allColumns.length > MAX_COLUMNS) {
    throw new UserError(
      'storage.maxNumberOfColumnsExceed',
      `The table would have ${allColumns.length} columns; it may have ${MAX_COLUMNS}.${delimiter === undefined ? '' : ' Check the delimiter of the file.'}`,
    )
  }
  const renamed = names
    .map((heading, index) => ({ column: importedColumns[index] ?? '', heading }))
    .filter(({ column, heading }) => column !== heading && !known.has(column))
  return { importedColumns, tableColumns: allColumns, renamed }
}

/** The file lacks columns that the table has. `delimiter`: as the user wrote it, for the hint; JSON and Parquet have none. */
export const createColumnsNotMatch = ({
  missingColumns,
  expectedColumns,
  delimiter,
  reason = delimiter === undefined
    ? 'In JSON the keys of the objects are the columns.'
    : `Please check if the expected delimiter "${delimiter}" is used in the csv file.`,
}: {
  missingColumns: string[]
  expectedColumns: string[]
  delimiter: string | undefined
  /** Why they are needed; default: nobody knows. */
  reason?: string | undefined
}): UserError =>
  new UserError(
    'csvImport.columnsNotMatch',
    `Some columns are missing in the csv file. Missing columns: ${missingColumns.join(',')}. ` +
      `Expected columns: ${expectedColumns.join(',')}. ` +
      reason,
    { params: { missingColumns, expectedColumns } },
  )

const refuseInvalidNames = (names: string[], sanitized: string[]): void => {
  const invalid = sanitized.findIndex(name => name === '' || name.length > MAX_COLUMN_NAME_LENGTH)
  const name = names[invalid]
  if (name === undefined) return
  throw new UserError(
    'storage.tables.validation.invalidColumnName',
    `Column ${invalid + 1} of the file has the name ${JSON.stringify(shorten(name))}. A name needs a letter or a digit and ` +
      `may have ${MAX_COLUMN_NAME_LENGTH} characters. Check that the first line of the file is its header.`,
    { params: { column: invalid + 1 } },
  )
}

const refuseDuplicates = (columns: string[]): void => {
  const seen = new Set<string>()
  const duplicates = columns.filter(column => seen.size === seen.add(column.toLowerCase()).size)
  if (duplicates.length === 0) return
  throw new UserError(
    'storage.tables.validation.invalidColumnName',
    `The file has more than one column with the name ${duplicates.map(name => JSON.stringify(name)).join(', ')}. ` +
      'Names are compared without case and special characters: rename all but one.',
    { params: { duplicateColumns: duplicates } },
  )
}

const shorten = (name: string): string => (name.length <= 100 ? name : `${name.slice(0, 100)}…`)
