import type { CsvFormat, CsvRange, RangeReading } from './range-reading.ts'
import { countLines, RangeReader } from './range-reading.ts'

/** What one range says about itself, without knowing what comes before it. */
export interface RangeScan {
  range: CsvRange
  /** Line feeds between its start and its end. */
  lines: number
  /** One for each state of the cut in which a record begins in the range; one of them is true. */
  readings: RangeReading[]
}

/** A range is read from the byte before it: a line feed there shows that its first byte begins a record. */
export const firstByteOf = ({ start, beginsRecord }: CsvRange): number => (beginsRecord ? start : start - 1)

/**
 * Scans a range under both assumptions about its first byte, side by side in one pass. `bytes` begin at
 * {@link firstByteOf} and go on to the end of the file; they are read no further than the last record of the range.
 */
export const scanRange = async (
  bytes: AsyncIterable<Uint8Array>,
  range: CsvRange,
  format: CsvFormat,
): Promise<RangeScan> => {
  const states = range.beginsRecord ? (['plain'] as const) : (['plain', 'open'] as const)
  const readers = states.map(state => new RangeReader(range, format, state))
  let offset = firstByteOf(range)
  let lines = 0
  // The line feed before the range belongs to the range before it.
  let line = range.beginsRecord ? 1 : undefined
  for await (const piece of bytes) {
    if (piece.length === 0) continue
    line ??= piece[0] === LINE_FEED ? 0 : 1
    for (const reader of readers) reader.read(piece, { offset, line })
    const inRange = piece.subarray(
      Math.max(0, range.start - offset),
      Math.max(0, Math.min(piece.length, range.end - offset)),
    )
    lines += countLines(inRange)
    line += countLines(piece)
    offset += piece.length
    if (offset >= range.end && readers.every(({ isDone }) => isDone)) break
  }
  for (const reader of readers) reader.finish()
  const readings = readers.flatMap(({ reading }) => (reading ? [reading] : []))
  return { range, lines, readings }
}

const LINE_FEED = 0x0a
