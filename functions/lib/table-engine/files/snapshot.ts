import { type CellType, isTyped } from '../types/field-type.ts'

/**
 * A column. Its id is an Iceberg field id: it stays when other columns come and go, and is never used again. So files
 * that were written before a change of columns are still read right.
 */
export interface TableField extends CellType {
  /** From 2 on. */
  id: number
  name: string
}

/** A column of the table with its place among the cells of a file. Undefined: the file lacks it, and it is empty. */
export interface PlacedField extends TableField {
  cell: number | undefined
  /** As a file with types calls it. */
  typeInFile?: string | undefined
}

/** A column that a table gets: its id is given by the table. */
export type NewField = Omit<TableField, 'id'>

/** Field id of `_timestamp`, which each file has beside the columns: when a load last changed the row. */
export const TIMESTAMP_ID = 1

/**
 * Columns of staged files of a load with a primary key: the range of the load that a record lies in, and its place among
 * the records of the range. So whoever merges the files knows which record of a key is the last. No table has them.
 */
export const LOAD_ORDER = [
  { id: 2147483001, name: '_load_range', type: 'long' },
  { id: 2147483002, name: '_load_row', type: 'long' },
] as const

/** What a file says about the values of one column. Undefined bounds: unknown. */
export interface FieldStatistics {
  /** As stored, compressed. */
  bytes: number
  values: number
  nulls: number
  /** Of doubles: values that are no number (NaN), which no bound takes in. Undefined: unknown. */
  nans?: number | undefined
  /**
   * No value is smaller. Of texts by Unicode code points, and at most 16 characters; other values in the form of
   * `ReadCell`. Of `_timestamp` an ISO 8601 time with six digits of a second and `Z`.
   */
  lower?: string | undefined
  /** No value is larger. */
  upper?: string | undefined
}

/** One immutable Parquet file of a snapshot, in the tables bucket. */
export interface TableFile {
  key: string
  /** In the Parquet file, deleted ones included. */
  rows: number
  bytes: number
  /** By field id. Undefined: unknown, so the file is never left out of a search. */
  statistics?: Record<number, FieldStatistics> | undefined
  /** The positions of deleted rows, all in one Parquet file (Iceberg: position deletes). */
  deletes?: { key: string; rows: number; bytes: number } | undefined
}

/**
 * The complete content of a table at one time: an immutable list of Parquet files, and facts about all of them.
 *
 * Every column of an untyped table is text. The files have one more column, `_timestamp`: the time of the load that last changed the row.
 * One item per table points to its current snapshot. A load writes new files and then moves that pointer.
 */
export interface Snapshot {
  /** In table order. A load never changes that order. */
  fields: TableField[]
  /** The highest id that a column ever had. */
  lastFieldId: number
  primaryKey: string[]
  files: TableFile[]
  /** The files with the same rows that the load left before it joined small ones with others. Only until it is stored. */
  joinedFrom?: TableFile[] | undefined
  /** Without deleted ones. */
  rowsCount: number
  /** Files of rows and of deletes. */
  dataSizeBytes: number
}

/** A table without rows. */
export const emptySnapshot = (columns: string[], primaryKey: string[]): Snapshot =>
  withColumns(
    { fields: [], lastFieldId: TIMESTAMP_ID, primaryKey, files: [], rowsCount: 0, dataSizeBytes: 0 },
    columns,
  )

/** In table order. */
export const columnNames = ({ fields }: Pick<Snapshot, 'fields'>): string[] => fields.map(({ name }) => name)

/** Those of the columns that hold texts because nobody has declared a type. */
export const textColumns = ({ fields }: Pick<Snapshot, 'fields'>, columns: readonly string[]): string[] => {
  const typed = new Set(fields.filter(isTyped).map(({ name }) => name))
  return columns.filter(column => !typed.has(column))
}

/** The most characters of a text in a typed table that declares no other length. */
export const MAX_TEXT_LENGTH = 16_777_216

/** Whether the table was made with types: then an empty cell of any of its columns is NULL. */
export const isTypedTable = ({ fields }: Pick<Snapshot, 'fields'>): boolean => fields.some(isTyped)

/** A column that nobody has declared, such as one that a load brings: of a typed table it holds texts or NULL. */
export const undeclaredField = (table: Pick<Snapshot, 'fields'>, name: string): NewField => ({
  name,
  type: 'string',
  ...(isTypedTable(table) && { rules: { nullable: true, maxLength: MAX_TEXT_LENGTH } }),
})

/** Adds the columns that the table does not have yet, at its end. They are empty in every row. */
export const withColumns = (snapshot: Snapshot, columns: string[]): Snapshot =>
  withFields(
    snapshot,
    columns.map(name => undeclaredField(snapshot, name)),
  )

/** Adds the columns that the table does not have yet, at its end. */
export const withFields = (snapshot: Snapshot, fields: NewField[]): Snapshot => {
  const known = new Set(columnNames(snapshot))
  const added = fields
    .filter(({ name }) => !known.has(name))
    .map((field, index): TableField => ({ id: snapshot.lastFieldId + 1 + index, ...field }))
  return {
    ...snapshot,
    fields: [...snapshot.fields, ...added],
    lastFieldId: snapshot.lastFieldId + added.length,
  }
}

/** The column's values stay in the files, where nothing finds them any more: its id is never used again. */
export const withoutColumn = (snapshot: Snapshot, column: string): Snapshot => ({
  ...snapshot,
  fields: snapshot.fields.filter(({ name }) => name !== column),
})

/** The same table with other files. */
export const withFiles = ({ joinedFrom: _, ...snapshot }: Snapshot, files: TableFile[]): Snapshot => ({
  ...snapshot,
  files,
  rowsCount: sum(files.map(liveRows)),
  dataSizeBytes: sum(files.map(({ bytes, deletes }) => bytes + (deletes?.bytes ?? 0))),
})

export const liveRows = ({
  rows,
  deletes,
}: Pick<TableFile, 'rows'> & Partial<Pick<TableFile, 'deletes'>>): number => rows - (deletes?.rows ?? 0)

/** The keys of all objects that a snapshot consists of. */
export const objectKeys = ({ files }: Pick<Snapshot, 'files'>): string[] =>
  files.flatMap(({ key, deletes }) => (deletes ? [key, deletes.key] : [key]))

export const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0)
