import { ChunkMemory } from './csv/chunk-memory.ts'
import { parseCsvDialect } from './csv/csv-dialect.ts'
import { readRange } from './csv/cut/read-range.ts'
import type { Cut } from './csv/cut/scan-range.ts'
import type { CsvChunk } from './csv/split-csv.ts'
import type { EngineContext } from './files/engine-context.ts'
import type { ByteRange } from './files/footer.ts'
import type { CsvForm } from './files/load-request.ts'
import type { Snapshot, TableFile } from './files/snapshot.ts'
import type { ObjectAddress } from './files/table-files.ts'
import { joinChunks } from './join-chunks.ts'
import { createPublish } from './local-file.ts'
import { numberRows } from './parquet/parquet-source.ts'
import { stageChunks } from './stage-chunk.ts'
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
  source: CsvForm
  /** Column names in the table, in the order of the file. */
  importedColumns: string[]
  /** What a file that has types says of them. */
  types?: FileColumn[] | undefined
  /** With the columns that it has after the load. */
  table: Pick<Snapshot, 'fields' | 'primaryKey'>
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
  const { keyPrefix, range, table } = request
  await context.session.fitTo(table.fields.length)
  const spans: RecordSpan[] = []
  const chunks = joinChunks(readParts(context, request, spans), context.limits.chunkBytes)
  const name = `range-${String(range).padStart(5, '0')}-part`
  const publish = createPublish(context, { keyPrefix, fields: table.fields })
  const files = await stageChunks(context, { types: undefined, ...request, chunks, name }, publish)
  return { files, spans }
}

async function* readParts(
  { files, limits }: EngineContext,
  { parts, source: form, importedColumns }: StageRangeRequest,
  spans: RecordSpan[],
): AsyncGenerator<CsvChunk> {
  const memory = new ChunkMemory(limits.chunkBytes)
  for (const part of parts) {
    const { address, source, columns: names, state, records } = part
    const chunks = readRange(bytes => files.readDataFile(address, bytes), part, {
      dialect: parseCsvDialect(form),
      chunkBytes: limits.chunkBytes,
      columns: (names ?? importedColumns).length,
      source,
      memory,
    })
    // A record that goes through the cut is one of the range before.
    const row = records + (state === 'record' ? 1 : 2)
    let span: RecordSpan = null
    for await (const chunk of form.isParquet ? numberRows(chunks, { source, row, names }) : chunks) {
      const start: number = span?.start ?? chunk.start.offset
      span = { start, end: chunk.start.offset + chunk.bytes.length }
      yield chunk
    }
    spans.push(span)
  }
}
