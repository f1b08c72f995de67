import type { ColumnBytes, ItemsBytes } from './byte-plan.ts'
import { ByteText } from './byte-text.ts'
import type { Link } from './row-links.ts'

/** A list whose rows are written after the row that it is in: they need its link, which needs the whole row. */
export interface WaitingList {
  items: ItemsBytes
  link: Link
  /** Where it is in the document. */
  at: number
  /** One value where others have a list. */
  isSingle: boolean
  row: ByteText
  /** Where the hash of the link goes. */
  hashAt: number
}

/** Where the cells of a column are among those of a row, and the lists in them. */
export interface SortableCell {
  start: number
  end: number
  lists: readonly WaitingList[]
}

/** Sorts the cells of objects whose keys came in another order than the columns. */
export class CellOrder {
  readonly #sorted = new ByteText()

  /**
   * @param rows ends with the cells, which begin at `begin`
   * @param cells by position of the column
   * @returns the lists in the order of the columns
   */
  sort(
    rows: ByteText,
    begin: number,
    columns: readonly ColumnBytes[],
    cells: readonly (SortableCell | undefined)[],
  ): WaitingList[] {
    const sorted = this.#sorted
    sorted.length = 0
    const lists: WaitingList[] = []
    for (const { position, blank } of columns) {
      const cell = cells[position]
      if (cell === undefined) {
        sorted.append(blank)
        continue
      }
      const moved = begin + sorted.length - cell.start
      for (const list of cell.lists) lists.push({ ...list, hashAt: list.hashAt + moved })
      sorted.copy(rows.bytes, cell.start, cell.end)
    }
    rows.length = begin
    rows.copy(sorted.bytes, 0, sorted.length)
    return lists
  }
}
