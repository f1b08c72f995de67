import type { PageRows } from './written-rows.ts'

/** Pages that wait to be written, and those on their way to other threads and back. */
const MOST_FREE = 8

/** Larger ones are rare, and would stay for the rest of the run. */
const LARGEST_KEPT = 4 * 1024 * 1024

/**
 * Memory for bodies and rows of pages that is used again. What is not is collected late, since V8 sees only that little of its heap is in
 * use: by then it holds 64 MiB, and looking for it costs a tenth of the time.
 */
export class PageBlocks {
  readonly #free: ArrayBuffer[] = []

  take(bytes: number): ArrayBuffer {
    const fitting = this.#free.findLastIndex(({ byteLength }) => byteLength >= bytes)
    const [block] = fitting < 0 ? [] : this.#free.splice(fitting, 1)
    // The next page is about as large
    return block ?? Buffer.allocUnsafeSlow(Math.ceil(bytes * 1.25)).buffer
  }

  /** Nobody may hold a view of it any more. */
  giveBack(block: ArrayBuffer): void {
    if (block.byteLength === 0 || block.byteLength > LARGEST_KEPT) return // sent away, or too large
    this.#free.push(block)
    if (this.#free.length > MOST_FREE) this.#free.shift() // the one that was of no use for the longest time
  }
}

/** Of this thread. */
export const pageBlocks = new PageBlocks()

/** The bytes that the rows of a page take. */
export const sizeOfRows = ({ tables }: PageRows): number =>
  tables.reduce((sum, { bytes }) => sum + bytes.length, 0)

/** The rows of a page behind each other in a block that has room for them. */
export const packRows = (rows: PageRows, block: ArrayBuffer): PageRows & { block: ArrayBuffer } => {
  let end = 0
  const tables = rows.tables.map(table => {
    const bytes = new Uint8Array(block, end, table.bytes.length)
    bytes.set(table.bytes)
    end += bytes.length
    return { ...table, bytes }
  })
  return { ...rows, tables, block }
}
