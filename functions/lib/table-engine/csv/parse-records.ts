import type { CsvDialect } from './csv-dialect.ts'

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

/**
 * The cells of a chunk that the scanner has checked, record by record.
 *
 * For headers and for the rare chunk that must be rewritten. It works cell by cell, much slower than the scanner.
 */
export function* parseRecords(bytes: Buffer, dialect: CsvDialect): Generator<string[]> {
  const { delimiter, enclosure, escapedBy } = dialect
  let index = 0
  let cells: string[] = []
  while (index < bytes.length) {
    let cell: string
    if (bytes[index] === enclosure && enclosure !== undefined) {
      const end = findClosingQuote(bytes, index + 1, enclosure)
      const quote = String.fromCharCode(enclosure)
      cell = bytes.toString('utf8', index + 1, end).replaceAll(quote + quote, quote)
      index = end + 1
    } else {
      const end = findCellEnd(bytes, index, delimiter, escapedBy)
      cell = readPlainCell(bytes.subarray(index, end), escapedBy)
      index = end
    }
    cells.push(cell)
    if (bytes[index] === delimiter) {
      index++
      // A delimiter at the very end of the file is followed by an empty cell.
      if (index < bytes.length) continue
      cells.push('')
    }
    if (bytes[index] === CARRIAGE_RETURN) index++
    if (bytes[index] === LINE_FEED) index++
    yield cells
    cells = []
  }
}

const findClosingQuote = (bytes: Buffer, from: number, enclosure: number): number => {
  let quote = bytes.indexOf(enclosure, from)
  while (bytes[quote + 1] === enclosure) quote = bytes.indexOf(enclosure, quote + 2)
  return quote
}

const findCellEnd = (
  bytes: Buffer,
  from: number,
  delimiter: number,
  escapedBy: number | undefined,
): number => {
  let index = from
  for (; index < bytes.length; index++) {
    const byte = bytes[index]
    if (byte === delimiter || byte === LINE_FEED || byte === CARRIAGE_RETURN) break
    if (byte === escapedBy) index++
  }
  return index
}

const readPlainCell = (bytes: Buffer, escapedBy: number | undefined): string => {
  if (escapedBy === undefined || !bytes.includes(escapedBy)) return bytes.toString('utf8')
  const kept = Buffer.alloc(bytes.length)
  let length = 0
  for (let index = 0; index < bytes.length; index++) {
    if (bytes[index] === escapedBy) index++
    kept[length++] = bytes[index] ?? 0
  }
  return kept.toString('utf8', 0, length)
}
