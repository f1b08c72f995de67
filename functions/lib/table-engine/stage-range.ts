import { ChunkMemory } from './csv/chunk-memory.ts'
import { parseCsvDialect } from './csv/csv-dialect.ts'
import { readRange } from './csv/cut/read-range.ts'
import type { Cut } from './csv/cut/scan-range.ts'
import type { CsvChunk } from './csv/split-csv.ts'
import type { EngineContext } from './files/engine-context.ts'
import type { ByteRange } from './files/footer.ts'
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

/** A range of an uncompressed data file, cut anywhere. */
interface StagedPart extends ByteRange, Cut {
  address: ObjectAddress
  fileEnd: number
  /** Names the file in errors when there are several. */
  source?: string | undefined
  /** Its columns, by their names in the table. Default: those of the load. */
  columns?: string[] | undefined
}

/** Where the records of a part begin and end, which begin in it. `null`: none does. */
type RecordSpan = ByteRange | null

export interface StageRangeRequest {
  /** In the order of the load. */
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
): Promise<{ files: TableFile[]; spans: RecordSpan[] }> => {
  const { session, threads, limits, roundsNumbers } = context
  const { csv, fields, importedColumns, types, primaryKey, keyPrefix, range } = request
  const isKeyed = primaryKey.length > 0
  const isMarked = csv.isParquet === true
  const neverNull = isMarked ? primaryKey : []
  const dialect = parseCsvDialect(csv)
  await session.fitTo(fields.length)
  const publish = createPublish(context, { keyPrefix, fields })
  const spans: RecordSpan[] = []
  let firstRow = 0
  const files = await mapAhead(
    joinChunks(readParts(context, request, spans), limits.chunkBytes),
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
  return { files, spans }
}

const padded = (number: number): string => String(number).padStart(5, '0')

async function* readParts(
  { files, limits }: EngineContext,
  { parts, csv, importedColumns }: StageRangeRequest,
  spans: RecordSpan[],
): AsyncGenerator<CsvChunk> {
  const memory = new ChunkMemory(limits.chunkBytes)
  for (const part of parts) {
    const { address, source, columns: names, state, records } = part
    const chunks = readRange(bytes => files.readDataFile(address, bytes), part, {
      dialect: parseCsvDialect(csv),
      chunkBytes: limits.chunkBytes,
      columns: (names ?? importedColumns).length,
      source,
      memory,
    })
    // A record that goes through the cut is one of the range before.
    const row = records + (state === 'record' ? 1 : 2)
    let span: RecordSpan = null
    for await (const chunk of csv.isParquet ? numberRows(chunks, { source, row, names }) : chunks) {
      const start: number = span?.start ?? chunk.start.offset
      span = { start, end: chunk.start.offset + chunk.bytes.length }
      yield chunk
    }
    spans.push(span)
  }
}
