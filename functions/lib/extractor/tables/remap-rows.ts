const QUOTE = 34
const LINE_END = 10

/** Where each column of the new layout comes from: a position in the old one, or -1 for an empty cell. */
type ColumnMapping = readonly number[]

/**
 * Rewrites CSV rows of our own making (all cells quoted) for another set of columns, chunk by chunk.
 *
 * Returns a function that takes the next chunk of whole or partial rows and gives the rows it completes.
 */
export const createRowMapper = (mapping: ColumnMapping): ((chunk: Buffer) => Buffer) => {
  let carried: Buffer = Buffer.alloc(0)
  return chunk => {
    const data = carried.length === 0 ? chunk : Buffer.concat([carried, chunk])
    const pieces: Buffer[] = []
    let cells: number[] = []
    let start = 0
    let cellStart = 0
    let inQuotes = false
    for (let at = 0; at < data.length; at++) {
      const byte = data[at]
      if (byte === QUOTE) inQuotes = !inQuotes
      else if (!inQuotes && (byte === LINE_END || byte === COMMA)) {
        cells.push(cellStart, at)
        cellStart = at + 1
        if (byte === LINE_END) {
          pushRow(pieces, data, cells, mapping)
          cells = []
          start = at + 1
        }
      }
    }
    carried = Buffer.from(data.subarray(start))
    return Buffer.concat(pieces)
  }
}

const COMMA = 44
const comma = Buffer.from(',')
const empty = Buffer.from('""')
const lineEnd = Buffer.from('\n')

const pushRow = (pieces: Buffer[], data: Buffer, cells: readonly number[], mapping: ColumnMapping): void => {
  mapping.forEach((position, i) => {
    if (i > 0) pieces.push(comma)
    pieces.push(position === -1 ? empty : data.subarray(cells[2 * position], cells[2 * position + 1]))
  })
  pieces.push(lineEnd)
}
