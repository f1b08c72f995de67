import { ChunkMemory } from './csv/chunk-memory.ts'
import { parseCsvDialect } from './csv/csv-dialect.ts'
import type { RecordRange } from './csv/cut/fold-ranges.ts'
import { type CsvChunk, splitCsv } from './csv/split-csv.ts'
import type { EngineContext } from './files/engine-context.ts'
import type { CsvSource } from './files/load-request.ts'
import type { TableField, TableFile } from './files/snapshot.ts'
import type { ObjectAddress } from './files/table-files.ts'
import { joinChunks } from './join-chunks.ts'
import { mapAhead } from './map-ahead.ts'
import { numberRows } from './parquet/parquet-source.ts'
import { createPublish } from './publish-file.ts'
import { cellsOf } from './source-columns.ts'
import { stageChunk } from './stage-chunk.ts'
import type { FileColumn } from './types/field-type.ts'

/** A part of an uncompressed data file. */
interface StagedPart extends RecordRange {
  address: ObjectAddress
  /** Names the file in errors when there are several. */
  source?: string | undefined
  /** Its columns, by their names in the table. Default: those of the load. */
  columns?: string[] | undefined
}

export interface StageRangeRequest {
  /** In the order of the load. Each begins and ends at a record. */
  parts: StagedPart[]
  csv: Pick<
    CsvSource,
    'isParquet' | 'delimiter' | 'enclosure' | 'escapedBy' | 'treatValuesAsNull' | 'hidesCells'
  >
  /** Column names in the table, in the order of the file. */
  importedColumns: string[]
  /** What a file that has types says of them. */
  types?: FileColumn[] | undefined
  /** The columns of the table after the load. */
  fields: TableField[]
  primaryKey: string[]
  /** The `_timestamp` of the rows. */
  loadedAt: Date
  /** Number of the range in the load. It is a part of the names of the files. */
  range: number
  /** Prefix of the new files. The same when the range is staged again. */
  keyPrefix: string
}

/** See `TableEngine.stageRange`. */
export const stageRange = async (
  context: EngineContext,
  request: StageRangeRequest,
): Promise<{ files: TableFile[] }> => {
  const { session, threads, limits, roundsNumbers } = context
  const { csv, fields, importedColumns, types, primaryKey, keyPrefix, range } = request
  const isKeyed = primaryKey.length > 0
  const isMarked = csv.isParquet === true
  const neverNull = isMarked ? primaryKey : []
  const dialect = parseCsvDialect(csv)
  await session.fitTo(fields.length)
  const publish = createPublish(context, { keyPrefix, fields })
  let firstRow = 0
  const files = await mapAhead(
    joinChunks(readParts(context, request), limits.chunkBytes),
    threads + 1,
    async (chunk, index) => {
      const order = { range, firstRow }
      firstRow += chunk.records
      return publish(
        await stageChunk(session, {
          chunk,
          dialect,
          columns: cellsOf(fields, {
            importedColumns: chunk.names ?? importedColumns,
            types,
            neverNull,
            roundsNumbers,
          }),
          loadedAt: request.loadedAt,
          isKeyed,
          order: isKeyed ? order : undefined,
          treatValuesAsNull: csv.treatValuesAsNull ?? [],
          hidesCells: csv.hidesCells,
          isMarked,
          name: `range-${padded(range)}-part-${padded(index + 1)}`,
        }),
      )
    },
  )
  const expected = request.parts.reduce((sum, { records }) => sum + records, 0)
  if (firstRow !== expected) throw new Error(`Range ${range} has ${firstRow} records instead of ${expected}.`)
  return { files }
}

const padded = (number: number): string => String(number).padStart(5, '0')

async function* readParts(
  { files, limits }: EngineContext,
  { parts, csv, importedColumns }: StageRangeRequest,
): AsyncGenerator<CsvChunk> {
  const memory = new ChunkMemory(limits.chunkBytes)
  for (const { address, start, end, source, columns: names } of parts) {
    const chunks = splitCsv(files.readDataFile(address, { start: start.offset, end }), {
      dialect: parseCsvDialect(csv),
      chunkBytes: limits.chunkBytes,
      hasHeader: false,
      columns: (names ?? importedColumns).length,
      source,
      from: start,
      memory,
    })
    yield* csv.isParquet ? numberRows(chunks, { source, row: start.line, names }) : chunks
  }
}
