import { ChunkMemory } from './csv/chunk-memory.ts'
import { parseCsvDialect } from './csv/csv-dialect.ts'
import type { ColumnMapping } from './csv/map-columns.ts'
import { type OpenedFile, openFile } from './csv/open-file.ts'
import { tableOfJson } from './csv/rows-of-json.ts'
import { type CsvChunk, splitCsv } from './csv/split-csv.ts'
import type { EngineContext } from './files/engine-context.ts'
import type { CsvSource } from './files/load-request.ts'
import { columnNames } from './files/snapshot.ts'
import { joinChunks } from './join-chunks.ts'
import { mixedSlices, namedSource, numberRows, refuseOtherNames } from './parquet/parquet-source.ts'
import { recordsOfParquet } from './parquet/records-of-parquet.ts'
import {
  findKnownNames,
  ignoredLinesOf,
  type KnownTable,
  nameInSentence,
  sliceName,
  sourceColumns,
} from './source-columns.ts'
import type { FileColumn } from './types/field-type.ts'

/** A source with known columns, whose records are being read. */
interface OpenedSource {
  /** As it is read: a file of Parquet or JSON as the CSV that is made of it. */
  source: CsvSource
  mapping: ColumnMapping
  warnings: string[]
  /** What a file that has types says of its columns, in its order. */
  types: FileColumn[] | undefined
  /** The records, without the header. */
  chunks: AsyncIterable<CsvChunk>
  /** Totals of what has been read so far. */
  progress: { inBytes: number; isCompressed: boolean }
  /** Stops reading, whether or not all chunks were read. */
  close(): Promise<void>
}

/**
 * Opens the files of a load and finds their columns: in the header, the request or the table; in the file itself when it is Parquet or JSON.
 *
 * Throws `UserError`: at once for wrong columns, and while the chunks are read for a wrong record.
 */
export const readSource = async (
  { files, session, limits: { chunkBytes } }: EngineContext,
  { source: given, ...table }: KnownTable & { source: CsvSource },
): Promise<OpenedSource> => {
  const progress = { inBytes: 0, isCompressed: false }
  const read = new Map<number, number>()
  const open = async (index: number): Promise<OpenedFile> => {
    const slice = given.slices[index]
    if (!slice) throw new Error(`The source has no slice ${index}`)
    // What is read twice counts once.
    progress.inBytes -= read.get(index) ?? 0
    read.set(index, 0)
    const counted = countBytes(files.readDataFile(slice), bytes => {
      progress.inBytes += bytes
      read.set(index, (read.get(index) ?? 0) + bytes)
    })
    return openFile(counted, nameInSentence(sliceName(given, index)))
  }
  /** Slices without a byte have no form. */
  let filled = 0
  let first = given.slices.length > 0 ? await open(0) : undefined
  while (first && first.form === undefined && filled + 1 < given.slices.length) first = await open(++filled)
  const close = async (): Promise<void> => {
    await records?.return(undefined)
    await first?.close()
  }
  let records: AsyncGenerator<CsvChunk> | undefined
  try {
    const warnings: string[] = []
    const warn = (warning: string): void => void warnings.push(warning)
    const form = first?.form ?? 'csv'
    const source: CsvSource = form === 'csv' ? given : namedSource(given, form === 'json')
    const dialect = parseCsvDialect(source)
    const knownNames = findKnownNames(source, table.current && columnNames(table.current))
    const hasHeader = knownNames === undefined
    const memory = new ChunkMemory(chunkBytes)
    let unread = first
    const openSame = async (index: number): Promise<OpenedFile> => {
      const opened = (index === filled && unread) || (await open(index))
      if (opened === unread) unread = undefined
      progress.isCompressed ||= opened.isCompressed
      if (opened.form === undefined || opened.form === form) return opened
      await opened.close()
      throw mixedSlices(nameInSentence(sliceName(source, index)))
    }
    const json =
      form === 'json'
        ? await tableOfJson(async index => (await openSame(index)).rows(), source.slices.length)
        : undefined
    let types: FileColumn[] | undefined
    const tellTypes = (found: FileColumn[]): void => {
      types = found
    }
    const textOfSlice = async (index: number): Promise<AsyncIterable<Uint8Array>> => {
      if (json) return json.records(index)
      const { bytes, form: own } = await openSame(index)
      const asText = {
        source: nameInSentence(sliceName(source, index)),
        ...(index === filled && { warn, tellTypes }),
      }
      return own === 'parquet' ? recordsOfParquet(session, bytes, asText) : bytes
    }
    const readSlices = async function* (): AsyncGenerator<CsvChunk> {
      const headers: Buffer[] = []
      for (const index of source.slices.keys()) {
        const name = sliceName(source, index)
        const chunks = splitCsv(await textOfSlice(index), {
          dialect,
          chunkBytes,
          hasHeader,
          ignoredLines: ignoredLinesOf(source, hasHeader),
          columns: knownNames?.length,
          source: name,
          memory,
        })
        yield* source.isParquet ? numberRows(chunks, { source: name, headers }) : chunks
      }
    }
    records = readSlices()
    const header = hasHeader ? await readHeader(records) : undefined
    const found = sourceColumns({ source, table, knownNames, header })
    refuseOtherNames(source, found.mapping)
    warnings.push(...found.warnings)
    const chunks = joinChunks(records, chunkBytes)
    return { source, mapping: found.mapping, warnings, types, chunks, progress, close }
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
  count: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const bytes of file) {
    count(bytes.length)
    yield bytes
  }
}
