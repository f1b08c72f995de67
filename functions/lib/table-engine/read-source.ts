import { ChunkMemory } from './csv/chunk-memory.ts'
import { type CsvDialect, parseCsvDialect } from './csv/csv-dialect.ts'
import { openFile } from './csv/open-file.ts'
import { type CsvChunk, splitCsv } from './csv/split-csv.ts'
import { joinChunks } from './join-chunks.ts'
import type { CsvSource } from './load-request.ts'
import type { ColumnMapping } from './map-columns.ts'
import { findKnownNames, ignoredLinesOf, nameInSentence, sliceName, sourceColumns } from './source-columns.ts'
import type { TableFiles } from './table-files.ts'

interface ReadSourceRequest {
  source: CsvSource
  /** The columns of the existing table. Undefined: the table will be created. */
  tableColumns: string[] | undefined
  chunkBytes: number
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
 * Opens the files of a load and finds their columns: in the header, the request or the table.
 *
 * Throws `UserError`: at once for wrong columns, and while the chunks are read for a wrong record.
 */
export const readSource = async (files: TableFiles, request: ReadSourceRequest): Promise<OpenedSource> => {
  const { source, tableColumns, chunkBytes } = request
  const dialect = parseCsvDialect(source)
  const knownNames = findKnownNames(source, tableColumns)
  const progress = { inBytes: 0, isCompressed: false }
  const hasHeader = knownNames === undefined
  const memory = new ChunkMemory(chunkBytes)

  const readSlices = async function* (): AsyncGenerator<CsvChunk> {
    for (const [index, slice] of source.slices.entries()) {
      const name = sliceName(source, index)
      const stored = countBytes(files.readDataFile(slice), progress)
      const { bytes, isCompressed } = await openFile(stored, nameInSentence(name))
      progress.isCompressed ||= isCompressed
      yield* splitCsv(bytes, {
        dialect,
        chunkBytes,
        hasHeader,
        ignoredLines: ignoredLinesOf(source, hasHeader),
        columns: knownNames?.length,
        source: name,
        memory,
      })
    }
  }

  const records = readSlices()
  const close = async (): Promise<void> => {
    await records.return(undefined)
  }
  try {
    const header = hasHeader ? await readHeader(records) : undefined
    const { mapping, warnings } = sourceColumns({ source, tableColumns, knownNames, header })
    return { dialect, mapping, warnings, chunks: joinChunks(records, chunkBytes), progress, close }
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
