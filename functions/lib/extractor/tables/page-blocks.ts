import type { PageRows } from './live-tables.ts'

/** Pages that wait to be written. */
const MOST_FREE = 8

/** Larger ones are rare, and would stay for the rest of the run. */
const LARGEST_KEPT = 4 * 1024 * 1024

/**
 * Memory for rows of pages that is used again. What is not is collected late, since V8 sees only that little of its heap is in
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
    if (block.byteLength > LARGEST_KEPT) return
    this.#free.push(block)
    if (this.#free.length > MOST_FREE) this.#free.shift() // the one that was of no use for the longest time
  }
}

/** Of all runs in this process. */
export const pageBlocks: PageBlocks = new PageBlocks()

/** The rows of a page until they are taken. */
export type KeptRows = PageRows & { block: ArrayBuffer }

/** Copies the rows of a page behind each other into memory of their own. */
export const packRows = (rows: PageRows, blocks: PageBlocks): KeptRows => {
  const block = blocks.take(rows.tables.reduce((sum, { bytes }) => sum + bytes.length, 0))
  let end = 0
  const tables = rows.tables.map(table => {
    const bytes = new Uint8Array(block, end, table.bytes.length)
    bytes.set(table.bytes)
    end += bytes.length
    return { ...table, bytes }
  })
  return { ...rows, tables, block }
}
