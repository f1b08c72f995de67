import { ChunkBytes, ChunkMemory } from './chunk-memory.ts'
import type { CsvDialect } from './csv-dialect.ts'
import { type CsvFacts, CsvScanner } from './csv-scanner.ts'
import { textOf } from './text-pieces.ts'

/** Where a record begins in its file: bytes before it, and its line from 1. */
export interface RecordPlace {
  offset: number
  line: number
}

/** Complete records, unchanged. Only a missing last line break is added. */
export interface CsvChunk extends CsvFacts {
  bytes: Buffer
  /** Lets the memory of `bytes` be used for other chunks. Optional: whoever keeps the bytes does not call it. */
  release: () => void
  /** Cells in each record. */
  columns: number
  isHeader: boolean
  start: RecordPlace
  /** The columns of the table that the cells are of, where files differ in them. */
  names?: string[] | undefined
  /** Where the records come from, in order, for messages. */
  origins?: ChunkOrigin[]
}

/** Records of one file that follow each other. */
export interface ChunkOrigin {
  /** Names the file when there are several. */
  source: string | undefined
  /** Of the first record. The first line of a file is line 1. */
  line: number
  /** `row`: what has no lines counts records, from 1. Default: `line`. */
  unit?: 'row'
  records: number
}

export interface SplitCsvOptions {
  dialect: CsvDialect
  /** A chunk ends with the first record that ends at or after this many bytes. */
  chunkBytes: number
  /** The first record is yielded as a chunk of its own, with `isHeader`. */
  hasHeader: boolean
  /** Number of lines to skip unread: after the header, or at the start of a file without one. Default 0. */
  ignoredLines?: number
  /** The number of cells that each record must have. Undefined: as many as the first. */
  columns?: number | undefined
  /** Names the file in errors when there are several. */
  source?: string | undefined
  maxRecordBytes?: number
  /** Where the bytes begin, when they are a part of a file that begins with a record. Default: its start. */
  from?: RecordPlace
  /** Ends with the first record that ends at or after this place. Default: with the file. */
  until?: number
  /** Where chunks are kept. Default: memory of its own. */
  memory?: ChunkMemory
}

const LINE_FEED = 0x0a
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]
const FILE_START: RecordPlace = { offset: 0, line: 1 }

/**
 * Cuts a CSV file into chunks of complete records. Each record is checked before it is yielded. A piece of the file is
 * copied before the next one is asked for.
 *
 * Where chunks end depends on the file alone, not on how its bytes arrive. Only a byte order mark and the ignored lines
 * are left out. Throws `UserError` `invalidCsv` at the first invalid byte. Earlier chunks have been yielded by then, so
 * the caller must not publish anything before the end.
 */
export async function* splitCsv(
  file: AsyncIterable<Uint8Array>,
  {
    chunkBytes,
    hasHeader,
    ignoredLines = 0,
    from = FILE_START,
    until = Number.POSITIVE_INFINITY,
    memory = new ChunkMemory(chunkBytes),
    ...options
  }: SplitCsvOptions,
): AsyncGenerator<CsvChunk> {
  const scanner = new CsvScanner(options)
  scanner.skip(from.offset, from.line - 1)
  let linesToIgnore = ignoredLines
  let isHeader = hasHeader
  const pieces = new ChunkBytes(memory)
  let start = from
  const endChunkAfter = (bytes: number): void => scanner.stopAfter(Math.min(bytes, until - scanner.offset))

  const takeChunk = (): CsvChunk => {
    if (pieces.lastByte !== LINE_FEED) pieces.append(Buffer.from([LINE_FEED]))
    const facts = scanner.takeFacts()
    const origins = [{ source: options.source, line: start.line, records: facts.records }]
    const chunk = { ...facts, ...pieces.take(), columns: scanner.columns, isHeader, start, origins }
    isHeader = false
    endChunkAfter(chunkBytes)
    return chunk
  }

  endChunkAfter(hasHeader ? 1 : chunkBytes)
  for await (const bytes of textOf(file, scanner.refuse)) {
    let index = 0
    if (scanner.offset === 0 && BYTE_ORDER_MARK.every((byte, at) => bytes[at] === byte)) {
      index = BYTE_ORDER_MARK.length
      scanner.skip(index, 0)
    }
    while (index < bytes.length) {
      if (linesToIgnore > 0 && !isHeader) {
        const lineFeed = bytes.indexOf(LINE_FEED, index)
        const next = lineFeed === -1 ? bytes.length : lineFeed + 1
        scanner.skip(next - index, lineFeed === -1 ? 0 : 1)
        endChunkAfter(chunkBytes)
        if (lineFeed !== -1) linesToIgnore--
        index = next
        continue
      }
      if (pieces.length === 0) start = { offset: scanner.offset, line: scanner.line }
      const next = scanner.scan(bytes, index)
      pieces.append(bytes.subarray(index, next))
      index = next
      if (!scanner.stopped) continue
      yield takeChunk()
      if (scanner.offset >= until) return
    }
  }
  pieces.cut(scanner.finish())
  if (pieces.length > 0) yield takeChunk()
}
