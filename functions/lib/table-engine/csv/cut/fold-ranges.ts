import type { CsvDefect } from '../csv-error.ts'
import type { RecordPlace } from '../split-csv.ts'
import type { RangeScan } from './scan-range.ts'

/** A part of a file that begins and ends at records. */
export interface RecordRange {
  start: RecordPlace
  /** In bytes. */
  end: number
  records: number
}

/** The first malformed record of a file, or its parts that hold all of its records. */
type FoldedFile = { defect: CsvDefect } | { ranges: RecordRange[] }

/**
 * Picks the truth about each range of a file, in order: the reading that begins where the records of the range before
 * it end. `scans` touch each other; the first begins at `start`, with a record.
 *
 * A range without a reading there lies within one long record. Whatever is malformed in a true reading is so in the
 * file, and what comes after it was never looked at.
 */
export const foldRanges = (scans: RangeScan[], start: RecordPlace): FoldedFile => {
  const ranges: RecordRange[] = []
  let nextRecord = start.offset
  let linesBefore = start.line - 1
  for (const { range, lines, readings } of scans) {
    if (nextRecord < range.end) {
      const truth = readings.find(reading => reading.start === nextRecord)
      if (!truth) throw new Error(`No record begins at byte ${nextRecord}, where the range before it ends.`)
      const { defect } = truth
      if (defect) return { defect: { ...defect, line: linesBefore + defect.line } }
      const place = { offset: truth.start, line: linesBefore + truth.line }
      ranges.push({ start: place, end: truth.end, records: truth.records })
      nextRecord = truth.end
    }
    linesBefore += lines
  }
  return { ranges }
}
