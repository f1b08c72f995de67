import type { CsvDialect } from '../csv-dialect.ts'
import { type CsvChunk, type RecordPlace, type SplitCsvOptions, splitCsv } from '../split-csv.ts'
import { type Cut, countLines, RecordEnds } from './scan-range.ts'

/** Bytes from `start` up to, but without, `end`. */
interface Part {
  start: number
  end: number
}

/** Reads a part of a file. */
export type ReadPart = (part: Part) => AsyncIterable<Uint8Array>

/** What comes before the records of a file. */
export interface Preamble {
  header: CsvChunk | undefined
  /** Where the first record begins. Undefined: there is none. */
  start: RecordPlace | undefined
}

/** Reads a file up to its first record. Throws `UserError` `invalidCsv` when something is wrong up to there. */
export const readPreamble = async (
  file: AsyncIterable<Uint8Array>,
  options: Omit<SplitCsvOptions, 'chunkBytes' | 'from'>,
): Promise<Preamble> => {
  const chunks = splitCsv(file, { ...options, chunkBytes: 1 })
  try {
    let { value, done } = await chunks.next()
    const header = !done && value.isHeader ? value : undefined
    if (header) ({ value, done } = await chunks.next())
    return { header, start: done ? undefined : value.start }
  } finally {
    await chunks.return(undefined)
  }
}

/** A part of a file, cut anywhere. It has the records that begin in it, the last of which may end after it. */
interface CutRange extends Part, Cut {
  fileEnd: number
}

/** The records of a range. Throws `UserError` `invalidCsv` at the first invalid byte of them. */
export async function* readRange(
  read: ReadPart,
  range: CutRange,
  options: Omit<SplitCsvOptions, 'hasHeader' | 'from' | 'until'>,
): AsyncGenerator<CsvChunk> {
  const from = await findRecord(read, range, options.dialect)
  if (from === undefined) return
  const { end, fileEnd } = range
  const bytes = readOn(read, { start: from.offset, end, fileEnd })
  yield* splitCsv(bytes, { ...options, hasHeader: false, from, until: end })
}

/** Where the first record begins in a range. `undefined`: none does, a long one goes through it. */
const findRecord = async (
  read: ReadPart,
  { start, end, state, line }: CutRange,
  dialect: CsvDialect,
): Promise<RecordPlace | undefined> => {
  if (state === 'record') return { offset: start, line }
  const ends = new RecordEnds(dialect, state === 'open')
  let place = { offset: start, line }
  for await (const piece of readOn(read, { start, end: start, fileEnd: end })) {
    const found = ends.next(piece)
    const passed = piece.subarray(0, found)
    place = { offset: place.offset + passed.length, line: place.line + countLines(passed) }
    if (found !== undefined) return place.offset < end ? place : undefined
  }
  return undefined
}

/** Most readers want no more than so many bytes after the ones that they ask for. */
const AHEAD_BYTES = 64 * 1024

/** Reads a part of a file and a little more; then, for whoever wants them, more and more of the bytes after it. */
export async function* readOn(
  read: ReadPart,
  { start, end, fileEnd }: Part & { fileEnd: number },
): AsyncGenerator<Uint8Array> {
  let ahead = AHEAD_BYTES
  let at = start
  let until = Math.max(start, end)
  while (at < fileEnd) {
    until = Math.min(fileEnd, until + ahead)
    yield* read({ start: at, end: until })
    at = until
    ahead *= 2
  }
}
