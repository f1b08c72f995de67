import { UserError } from '../errors/errors.ts'
import { parseCsvDialect } from './csv/csv-dialect.ts'
import { type ColumnMapping, createColumnsNotMatch, mapColumns } from './csv/map-columns.ts'
import { parseRecords } from './csv/parse-records.ts'
import type { CsvChunk } from './csv/split-csv.ts'
import type { CsvSource, LoadRequest } from './files/load-request.ts'
import { columnNames, type PlacedField, type Snapshot } from './files/snapshot.ts'
import { type FileColumn, rounding } from './types/field-type.ts'

/** Names a slice in messages. A file that is not sliced needs no name. */
export const sliceName = ({ isSliced, slices }: CsvSource, index: number): string | undefined =>
  isSliced ? `slice ${index + 1} of ${slices.length}` : undefined

/** {@link sliceName} at the beginning of a sentence. */
export const nameInSentence = (name: string | undefined): string =>
  name === undefined ? 'The file' : name.charAt(0).toUpperCase() + name.slice(1)

/** Lines to skip after the header, or at the start of a file without one. */
export const ignoredLinesOf = ({ ignoredLinesCount = 0 }: CsvSource, hasHeader: boolean): number =>
  hasHeader ? Math.max(0, ignoredLinesCount - 1) : ignoredLinesCount

/** The column names if they are not in the file. Parquet has them. */
export const findKnownNames = (
  source: CsvSource,
  tableColumns: string[] | undefined,
): string[] | undefined => {
  if (source.isParquet) return undefined
  if (source.columns && source.columns.length > 0) return source.columns
  if (source.withoutHeaders && tableColumns) return tableColumns
  if (!source.isSliced && !source.withoutHeaders) return undefined
  if (tableColumns) {
    throw createColumnsNotMatch({
      missingColumns: tableColumns,
      expectedColumns: tableColumns,
      delimiter: source.delimiter,
    })
  }
  throw new UserError(
    'storage.tables.validation.invalidColumnName',
    `${source.isSliced ? 'A sliced file' : 'A file without headers'} has no names of columns: name them in the parameter "columns".`,
  )
}

/** What a load says of the table that is there. */
export interface KnownTable extends Pick<LoadRequest, 'incremental'> {
  /** Default: the load creates it. */
  current?: LoadRequest['current']
}

/**
 * Why a file may not lack these columns of the table; undefined: it may, and they are empty in its rows.
 * Rows that are there would lose what they hold in them where they are replaced by key, unless an item is its whole row.
 */
const whyNeeded =
  ({ missingColumns }: Pick<CsvSource, 'missingColumns'>, { current, incremental }: KnownTable) =>
  (columns: string[]): string | undefined => {
    const key = current?.primaryKey ?? []
    const inKey = columns.filter(column => key.includes(column))
    if (inKey.length > 0) return `The primary key has ${inKey.join(', ')}: a row without it is none.`
    const needed = current?.fields.filter(
      ({ name, rules }) => columns.includes(name) && rules?.nullable === false && rules.default === undefined,
    )
    if (needed && needed.length > 0)
      return `No row may be without ${needed.map(({ name }) => name).join(', ')}.`
    if (missingColumns === 'emptyByKey' || !incremental || key.length === 0) return undefined
    return 'The file is loaded by its primary key, so rows that are there would lose what they hold in them: send whole rows.'
  }

/**
 * Which columns a source has, and which the table has after it. `header`: the first record, where the names are not
 * known otherwise; undefined in an empty file. Throws `UserError` when they do not fit.
 */
export const sourceColumns = ({
  source,
  table,
  knownNames,
  header,
  names,
}: {
  source: CsvSource
  table: KnownTable
  knownNames: string[] | undefined
  header: CsvChunk | undefined
  /** Those of all files, where these differ. Default: those of the header. */
  names?: string[] | undefined
}): { mapping: ColumnMapping; warnings: string[] } => {
  const { delimiter, missingColumns } = source
  const tableColumns = table.current && columnNames(table.current)
  const found = knownNames ? { names: knownNames, isExplicit: true } : header && namesIn(header, source)
  if (found === undefined) throw createEmptyFileError(source, tableColumns)
  const mapping = mapColumns({
    names: names ?? found.names,
    tableColumns,
    delimiter: source.isParquet ? undefined : delimiter,
    whyNeeded: missingColumns && whyNeeded(source, table),
  })
  const changed = missingColumns ? changedColumns(mapping, tableColumns) : []
  return {
    mapping,
    warnings: [...checkDelimiter({ ...found, delimiter, tableColumns }), ...sayRenamed(mapping), ...changed],
  }
}

/** Said once, since the columns are new. */
const sayRenamed = ({ renamed }: ColumnMapping): string[] => {
  const shown = renamed.slice(0, 20).map(({ column, heading }) => `${show(heading)} is ${column}`)
  const more = renamed.length > 20 ? ` and ${renamed.length - 20} more` : ''
  return renamed.length === 0
    ? []
    : [`Columns have names of letters, digits and _ in the table: ${shown.join(', ')}${more}.`]
}

/** Columns that come and go, for whoever did not ask for it. */
const changedColumns = (
  { importedColumns }: ColumnMapping,
  tableColumns: string[] = importedColumns,
): string[] => {
  const missing = tableColumns.filter(column => !importedColumns.includes(column))
  const added = importedColumns.filter(column => !tableColumns.includes(column))
  return [
    ...(missing.length > 0 ? [`The file has no ${missing.join(', ')}: empty in its rows.`] : []),
    ...(added.length > 0 ? [`New columns of the table: ${added.join(', ')}.`] : []),
  ]
}

const namesIn = (
  { bytes }: CsvChunk,
  source: CsvSource,
): { names: string[]; isExplicit: boolean } | undefined => {
  const dialect = parseCsvDialect(source)
  const names = parseRecords(bytes, dialect).next().value
  return names ? { names, isExplicit: bytes[0] === dialect.enclosure } : undefined
}

const createEmptyFileError = (source: CsvSource, tableColumns: string[] | undefined): UserError =>
  tableColumns
    ? createColumnsNotMatch({
        missingColumns: tableColumns,
        expectedColumns: tableColumns,
        delimiter: source.delimiter,
      })
    : new UserError(
        'storage.tables.validation.noColumns',
        'The file is empty: a table needs at least one column. Upload a CSV file with a header.',
      )

interface CheckDelimiterRequest {
  /** The names of the file's columns, as the user wrote them. */
  names: string[]
  /** The names are in quotes or come with the request, so they are meant literally. */
  isExplicit: boolean
  delimiter: string
  /** The columns of the existing table. Undefined: the table will be created. */
  tableColumns: string[] | undefined
}

const DELIMITERS = [',', ';', '\t', '|']

/**
 * A file of one column whose name contains another delimiter, `id;name`, almost certainly has that delimiter. Otherwise
 * it would become one column `id_name`.
 *
 * Throws `UserError` `csvImport.wrongDelimiter`. If the table already has exactly that column, the file is loaded with
 * a warning.
 */
const checkDelimiter = ({
  names: [name, ...others],
  isExplicit,
  delimiter,
  tableColumns,
}: CheckDelimiterRequest): string[] => {
  if (name === undefined || others.length > 0 || isExplicit) return []
  const likely = DELIMITERS.find(character => character !== delimiter && name.includes(character))
  if (likely === undefined) return []
  const found = `The file has one column, ${show(name)}, when it is read with the delimiter ${show(delimiter)}.`
  const advice = `Set the delimiter to ${show(likely)}`
  if (tableColumns)
    return [
      `${found} It was loaded so, as the table has just this column. ${advice} if it is meant to be several.`,
    ]
  throw new UserError(
    'csvImport.wrongDelimiter',
    `${found} ${advice}; or, if it is one column, put its name in quotes or name it in the parameter "columns".`,
    { params: { delimiter, likelyDelimiter: likely } },
  )
}

/** A tab as `\t`, which is how parameters take it. */
const show = (text: string): string => `"${text.slice(0, 100).replaceAll('\t', '\\t')}"`

interface CellsOfFile {
  importedColumns: string[]
  types?: FileColumn[] | undefined
  /** See `CsvSource`. */
  isParquet?: boolean | undefined
  roundsNumbers?: boolean
}

/** The columns of a table with their places among the cells of a file. */
export const cellsOf = (
  { fields, primaryKey }: Pick<Snapshot, 'fields' | 'primaryKey'>,
  { importedColumns, types = [], isParquet = false, roundsNumbers = false }: CellsOfFile,
): PlacedField[] => {
  const cells = new Map(importedColumns.map((name, cell) => [name, cell]))
  return fields.map(field => {
    const cell = cells.get(field.name)
    const typeInFile = cell === undefined ? undefined : types[cell]?.named
    // As the empty text, NULL would be another key of a table of texts.
    const isNeverNull = isParquet && primaryKey.includes(field.name)
    const rules = field.rules ?? (isNeverNull ? { nullable: false } : undefined)
    return { ...rounding({ ...field, rules }, roundsNumbers), cell, typeInFile }
  })
}
