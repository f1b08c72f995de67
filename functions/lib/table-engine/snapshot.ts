/** The type of a column's values. Untyped tables have texts only. */
type FieldType = 'string'

/**
 * A column. Its id is an Iceberg field id: it stays when other columns come and go, and is never used again. So files
 * that were written before a change of columns are still read right.
 */
export interface TableField {
  /** From {@link FIRST_COLUMN_ID} on. */
  id: number
  name: string
  type: FieldType
}

/** Field id of `_timestamp`, which each file has beside the columns: when a load last changed the row. */
export const TIMESTAMP_ID = 1

export const FIRST_COLUMN_ID = 2

/** What a file says about the values of one column. Undefined bounds: unknown. */
export interface FieldStatistics {
  /** As stored, compressed. */
  bytes: number
  values: number
  nulls: number
  /**
   * No value is smaller, by Unicode code points. At most 16 characters. Of `_timestamp` an ISO 8601 time with six
   * digits of a second and `Z`.
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
  /** False for files of version 0.1: their columns are found by name. */
  hasFieldIds: boolean
  /** The positions of deleted rows, all in one Parquet file (Iceberg: position deletes). */
  deletes?: { key: string; rows: number; bytes: number } | undefined
}

/**
 * The complete content of a table at one time: an immutable list of Parquet files, and facts about all of them.
 *
 * Every column is text. The files have one more column, `_timestamp`: the time of the load that last changed the row.
 * One item per table points to its current snapshot. A load writes new files and then moves that pointer.
 */
export interface Snapshot {
  /** In table order. A load never changes that order. */
  fields: TableField[]
  /** The highest id that a column ever had. */
  lastFieldId: number
  /**
   * Files without field ids have columns up to this id, under their names: a later column of the same name is another
   * one (Iceberg: name mapping). Undefined: the table never had such files.
   */
  lastNameMappedId?: number | undefined
  primaryKey: string[]
  files: TableFile[]
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

/** Adds the columns that the table does not have yet, at its end. They are empty in every row. */
export const withColumns = (snapshot: Snapshot, columns: string[]): Snapshot => {
  const known = new Set(columnNames(snapshot))
  const added = columns
    .filter(name => !known.has(name))
    .map((name, index): TableField => ({ id: snapshot.lastFieldId + 1 + index, name, type: 'string' }))
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
export const withFiles = (snapshot: Snapshot, files: TableFile[]): Snapshot => ({
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

const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0)
