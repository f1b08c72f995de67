import { countUnfinishedBytes, findTextDefect } from './check-text.ts'
import type { CsvDialect } from './csv-dialect.ts'
import { createCsvError } from './csv-error.ts'
import { type CsvFacts, CsvScanner } from './csv-scanner.ts'

/** Complete records, unchanged. Only a missing last line break is added. */
export interface CsvChunk extends CsvFacts {
  bytes: Buffer
  /** Cells in each record. */
  columns: number
  isHeader: boolean
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
}

const LINE_FEED = 0x0a
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

/**
 * Cuts a CSV file into chunks of complete records. Each record is checked before it is yielded.
 *
 * Where chunks end depends on the file alone, not on how its bytes arrive. Only a byte order mark and the ignored lines
 * are left out. Throws `UserError` `invalidCsv` at the first invalid byte. Earlier chunks have been yielded by then, so
 * the caller must not publish anything before the end.
 */
export async function* splitCsv(
  file: AsyncIterable<Uint8Array>,
  { chunkBytes, hasHeader, ignoredLines = 0, ...options }: SplitCsvOptions,
): AsyncGenerator<CsvChunk> {
  const scanner = new CsvScanner(options)
  let linesToIgnore = ignoredLines
  let isHeader = hasHeader
  let pieces: Uint8Array[] = []

  const takeChunk = (): CsvChunk => {
    if (pieces.at(-1)?.at(-1) !== LINE_FEED) pieces.push(Buffer.from([LINE_FEED]))
    // One copy into one block: holding and writing hundreds of small blocks costs more.
    const bytes = Buffer.concat(pieces)
    const chunk = { ...scanner.takeFacts(), bytes, columns: scanner.columns, isHeader }
    isHeader = false
    pieces = []
    scanner.stopAfter(chunkBytes)
    return chunk
  }

  scanner.stopAfter(hasHeader ? 1 : chunkBytes)
  for await (const bytes of checkText(file, scanner, options.source)) {
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
        scanner.stopAfter(chunkBytes)
        if (lineFeed !== -1) linesToIgnore--
        index = next
        continue
      }
      const next = scanner.scan(bytes, index)
      pieces.push(bytes.subarray(index, next))
      index = next
      if (scanner.stopped) yield takeChunk()
    }
  }
  scanner.finish()
  if (pieces.length > 0) yield takeChunk()
}

/**
 * Passes on pieces that are text and end between characters. A piece with a defect is first passed on up to the defect,
 * because an error in there comes earlier in the file.
 */
async function* checkText(
  file: AsyncIterable<Uint8Array>,
  scanner: CsvScanner,
  source: string | undefined,
): AsyncGenerator<Uint8Array> {
  let unfinished: Uint8Array = new Uint8Array(0)
  const check = function* (bytes: Uint8Array): Generator<Uint8Array> {
    const defect = findTextDefect(bytes)
    if (defect === undefined) {
      if (bytes.length > 0) yield bytes
      return
    }
    if (defect.index > 0) yield bytes.subarray(0, defect.index)
    throw createCsvError({
      source,
      offset: scanner.offset,
      line: scanner.line,
      ...(defect.isNul
        ? { problem: 'A NUL byte, which no text has', advice: 'Export the file again, as text in UTF-8' }
        : { problem: 'A byte that is not UTF-8', advice: 'Export the file again, with encoding UTF-8' }),
    })
  }
  for await (const arrived of file) {
    const bytes = unfinished.length === 0 ? arrived : Buffer.concat([unfinished, arrived])
    const whole = bytes.length - countUnfinishedBytes(bytes)
    unfinished = bytes.subarray(whole)
    yield* check(bytes.subarray(0, whole))
  }
  yield* check(unfinished)
}
