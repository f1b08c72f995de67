/**
 * Rows of one table as text, gathered while a page is written; `mark` and `rollBack` take back those of an item that turned out not to
 * fit the columns known so far.
 */
export class RowBuffer {
  readonly name: string
  /** Names of the parent columns of its rows, in the order of the first row. */
  parents: readonly string[] | undefined
  /** When its first row was written, among all tables: parent columns are named in that order. */
  order = -1
  rows = 0
  pending = ''
  #markedText = ''
  #markedRows = 0

  constructor(name: string) {
    this.name = name
  }

  mark(): void {
    this.#markedText = this.pending
    this.#markedRows = this.rows
  }

  /** `started`: how many tables had rows at the mark; a table that started later has none. */
  rollBack(started: number): void {
    this.pending = this.#markedText
    this.rows = this.#markedRows
    if (this.order < started) return
    this.order = -1
    this.parents = undefined
  }
}
