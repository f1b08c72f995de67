import { createReadStream } from 'node:fs'
import { parse } from 'csv-parse'
import type { WrittenTable } from '../tables/sink-types.ts'
import type { PreviewLimits } from './preview-limits.ts'
import type { PreviewTable } from './preview-schemas.ts'

type CellLimits = Pick<PreviewLimits, 'shownCellsLength' | 'shownCellLength'>

/**
 * The tables that an extraction has written, as far as there is room to show them.
 *
 * @param mask replaces the secrets of a text; it sees whole cells, so that none is left in half
 */
export const readTables = async (
  tables: readonly WrittenTable[],
  { shownCellsLength, shownCellLength }: CellLimits,
  mask: (text: string) => string,
): Promise<PreviewTable[]> => {
  let room = shownCellsLength
  const shown: PreviewTable[] = []
  for (const { name, rows: rowsCount, file } of tables) {
    const records: string[][] = []
    let isCut = false
    for await (const record of createReadStream(file).pipe(
      parse({ relax_column_count: true, skip_empty_lines: true }),
    )) {
      const whole = (record as string[]).map(mask) // a record without `columns` is a list of texts
      const cells = whole.map(cell => cell.slice(0, shownCellLength))
      room -= cells.reduce((sum, cell) => sum + cell.length, 0)
      if (room < 0) {
        isCut = true
        break
      }
      isCut ||= whole.some(cell => cell.length > shownCellLength)
      records.push(cells)
    }
    const [columns = [], ...rows] = records
    shown.push({ name: mask(name), columns, rows, rowsCount, isCut })
  }
  return shown
}
