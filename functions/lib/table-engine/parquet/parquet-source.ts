import { UserError } from '../../errors/errors.ts'
import { sanitizeColumnName } from '../csv/column-names.ts'
import type { ColumnMapping } from '../csv/map-columns.ts'
import type { CsvChunk } from '../csv/split-csv.ts'
import type { CsvSource } from '../files/load-request.ts'

/** A source of Parquet files, or of JSON, whose objects need not have every key, as that of the CSV which is made of them. */
export const namedSource = <Source extends CsvSource>(
  { ignoredLinesCount: _, withoutHeaders: __, ...source }: Source,
  isJson = false,
): Omit<Source, 'ignoredLinesCount' | 'withoutHeaders'> => ({
  ...source,
  ...(isJson && { missingColumns: source.missingColumns ?? 'empty' }),
  isParquet: true,
  delimiter: ',',
  enclosure: '"',
  escapedBy: '',
})

/** Throws `UserError` `csvImport.columnsNotMatch` when the request names other columns than a file that names its own. */
export const refuseOtherNames = (
  { columns = [], isParquet }: CsvSource,
  { importedColumns }: ColumnMapping,
): void => {
  if (!isParquet) return
  const named = columns.map(sanitizeColumnName)
  const isSame =
    named.length === importedColumns.length && named.every(name => importedColumns.includes(name))
  if (named.length === 0 || isSame) return
  throw new UserError(
    'csvImport.columnsNotMatch',
    `The file has its own names of columns: ${importedColumns.join(', ')}. The parameter "columns" names others: leave it out.`,
    { params: { expectedColumns: importedColumns } },
  )
}

/**
 * The chunks of a file with the rows that they hold, the first of which is `row`, in place of lines. `headers`: that of the first slice,
 * which the others must have, and which is not among their chunks.
 */
export async function* numberRows(
  chunks: AsyncIterable<CsvChunk>,
  {
    source,
    headers = [],
    row = 1,
    names,
  }: { source: string | undefined; headers?: Buffer[]; row?: number; names?: string[] | undefined },
): AsyncGenerator<CsvChunk> {
  for await (const chunk of chunks) {
    const { isHeader, bytes, records } = chunk
    if (!isHeader) {
      yield { ...chunk, names, origins: [{ source, line: row, records, unit: 'row' }] }
      row += records
      continue
    }
    refuseOtherHeader(headers, { source, bytes })
    const isFirst = headers.push(Buffer.from(bytes)) === 1
    if (isFirst) yield chunk
    else chunk.release()
  }
}

/** Throws `UserError` `csvImport.columnsNotMatch` for another header than the first. */
export const refuseOtherHeader = (
  [first]: readonly Uint8Array[],
  { source, bytes }: { source: string | undefined; bytes: Uint8Array },
): void => {
  const header = Buffer.from(bytes)
  if (first === undefined || header.equals(first)) return
  throw new UserError(
    'csvImport.columnsNotMatch',
    `The columns of ${source} are ${header.toString('utf8').trim()}, and not those of the first slice. Write all slices with the same columns in the same order.`,
  )
}

export const mixedSlices = (source: string): UserError =>
  new UserError(
    'invalidParquet',
    `${source} is not in the format of the first slice: all slices are CSV, or all are Parquet, or all are JSON.`,
  )
