import { printable } from './printable.ts'

export type Cell = string | number | boolean | null | undefined

interface TableOptions {
  /** Columns of the terminal. Default: no bound. */
  width?: number | undefined
  heading?: (text: string) => string
}

/** A cell narrower than this is not cut to make room for others. */
const NARROWEST = 12

/** Rows in columns under their names. Numbers stand at the right; what does not fit the width is cut with "…". */
export const formatTable = (
  columns: readonly string[],
  rows: readonly (readonly Cell[])[],
  { width = Number.POSITIVE_INFINITY, heading = text => text }: TableOptions = {},
): string => {
  const names = columns.map(printable)
  const isNumeric = columns.map((_, index) => rows.length > 0 && rows.every(row => isNumberLike(row[index])))
  const cells = rows.map(row => columns.map((_, index) => textOf(row[index])))
  const widths = fitTo(
    names.map((name, index) =>
      Math.max(displayWidth(name), ...cells.map(row => displayWidth(row[index] ?? ''))),
    ),
    width,
  )
  const lineOf = (row: readonly string[]): string =>
    row
      .map((cell, index) => {
        const cut = cutTo(cell, widths[index] ?? 0)
        const padding = ' '.repeat(Math.max(0, (widths[index] ?? 0) - displayWidth(cut)))
        return isNumeric[index] ? padding + cut : cut + padding
      })
      .join('  ')
      .trimEnd()
  return [heading(lineOf(names)), ...cells.map(lineOf)].map(line => `${line}\n`).join('')
}

const isNumberLike = (cell: Cell): boolean => typeof cell === 'number' || cell === null || cell === undefined

const textOf = (cell: Cell): string => {
  if (cell === null || cell === undefined) return ''
  return typeof cell === 'number' && Number.isInteger(cell)
    ? cell.toLocaleString('en-US')
    : printable(String(cell))
}

/** In code points: good enough for most scripts, and never too narrow by much. */
const displayWidth = (text: string): number => [...text].length

const cutTo = (text: string, width: number): string =>
  displayWidth(text) <= width ? text : `${[...text].slice(0, Math.max(0, width - 1)).join('')}…`

/** Takes from the widest columns first. */
const fitTo = (widths: readonly number[], width: number): number[] => {
  const fitted = [...widths]
  const total = () => fitted.reduce((sum, each) => sum + each, 2 * (fitted.length - 1))
  while (total() > width) {
    const widest = Math.max(...fitted)
    if (widest <= NARROWEST) break
    const next = Math.max(NARROWEST, ...fitted.filter(each => each < widest))
    const index = fitted.indexOf(widest)
    fitted[index] = Math.max(next, widest - (total() - width))
    if (fitted[index] === widest) break
  }
  return fitted
}
