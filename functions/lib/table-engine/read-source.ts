import { ChunkMemory } from './csv/chunk-memory.ts'
import { type CsvDialect, parseCsvDialect } from './csv/csv-dialect.ts'
import type { ColumnMapping } from './csv/map-columns.ts'
import { openFile } from './csv/open-file.ts'
import { type CsvChunk, splitCsv } from './csv/split-csv.ts'
import type { EngineContext } from './files/engine-context.ts'
import type { CsvSource } from './files/load-request.ts'
import { columnNames } from './files/snapshot.ts'
import type { ObjectAddress } from './files/table-files.ts'
import { joinChunks } from './join-chunks.ts'
import { mixedSlices, numberRows, parquetSource, refuseOtherNames } from './parquet/parquet-source.ts'
import { recordsOfParquet } from './parquet/records-of-parquet.ts'
import {
  findKnownNames,
  ignoredLinesOf,
  type KnownTable,
  nameInSentence,
  sliceName,
  sourceColumns,
} from './source-columns.ts'

interface ReadSourceRequest {
  source: CsvSource
  table: KnownTable
}

/** A source with known columns, whose records are being read. */
export interface OpenedSource {
  dialect: CsvDialect
  mapping: ColumnMapping
  warnings: string[]
  /** The records, without the header. */
  chunks: AsyncIterable<CsvChunk>
  /** Totals of what has been read so far. */
  progress: { inBytes: number; isCompressed: boolean }
  /** Stops reading, whether or not all chunks were read. */
  close(): Promise<void>
}

/**
 * Opens the files of a load and finds their columns: in the header, the request or the table; in the file itself when it is Parquet or JSON lines.
 *
 * Throws `UserError`: at once for wrong columns, and while the chunks are read for a wrong record.
 */
export const readSource = async (
  { files, session, limits: { chunkBytes } }: EngineContext,
  { source: given, table }: ReadSourceRequest,
): Promise<OpenedSource> => {
  const progress = { inBytes: 0, isCompressed: false }
  const open = async (slice: ObjectAddress, index: number) =>
    openFile(countBytes(files.readDataFile(slice), progress), nameInSentence(sliceName(given, index)))
  const [firstSlice] = given.slices
  const first = firstSlice && (await open(firstSlice, 0))
  const close = async (): Promise<void> => {
    await records?.return(undefined)
    await first?.close()
  }
  let records: AsyncGenerator<CsvChunk> | undefined
  try {
    const warnings: string[] = []
    const warn = (warning: string): void => void warnings.push(warning)
    const form = first?.form ?? 'csv'
    const hasOwnNames = form !== 'csv'
    const source = hasOwnNames ? parquetSource(given) : given
    const dialect = parseCsvDialect(source)
    const knownNames = findKnownNames(source, table.current && columnNames(table.current))
    const hasHeader = knownNames === undefined
    const memory = new ChunkMemory(chunkBytes)
    const readSlices = async function* (): AsyncGenerator<CsvChunk> {
      const headers: Buffer[] = []
      for (const [index, slice] of source.slices.entries()) {
        const name = sliceName(source, index)
        const opened = index === 0 && first ? first : await open(slice, index)
        progress.isCompressed ||= opened.isCompressed
        if (opened.form !== form) {
          await opened.close()
          throw mixedSlices(nameInSentence(name))
        }
        const asText = { source: nameInSentence(name), ...(index === 0 && { warn }) }
        const chunks = splitCsv(
          form === 'parquet' ? recordsOfParquet(session, opened.bytes, asText) : opened.bytes,
          {
            dialect,
            chunkBytes,
            hasHeader,
            ignoredLines: ignoredLinesOf(source, hasHeader),
            columns: knownNames?.length,
            source: name,
            memory,
          },
        )
        yield* hasOwnNames ? numberRows(chunks, { source: name, headers }) : chunks
      }
    }
    records = readSlices()
    const header = hasHeader ? await readHeader(records) : undefined
    const found = sourceColumns({ source, table, knownNames, header })
    refuseOtherNames(source, found.mapping)
    warnings.push(...found.warnings)
    const chunks = joinChunks(records, chunkBytes)
    return { dialect, mapping: found.mapping, warnings, chunks, progress, close }
  } catch (error) {
    await close()
    throw error
  }
}

const readHeader = async (records: AsyncGenerator<CsvChunk>): Promise<CsvChunk | undefined> => {
  const { value, done } = await records.next()
  return done ? undefined : value
}

async function* countBytes(
  file: AsyncIterable<Uint8Array>,
  progress: { inBytes: number },
): AsyncGenerator<Uint8Array> {
  for await (const bytes of file) {
    progress.inBytes += bytes.length
    yield bytes
  }
}
