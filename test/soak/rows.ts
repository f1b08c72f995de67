import type { TableRow } from './model.ts'

/** Names one try of one write of one step. */
export const markOf = (step: number, repeat: number, attempt: number): string =>
  `${step}-${repeat}-${attempt}`

export const appendRows = (mark: string, count: number): TableRow[] =>
  Array.from({ length: count }, (_, index) => ({ id: `${mark}-${index}`, value: mark }))

/** Keys that later writes meet again; `owner` keeps those of different writers apart. */
export const keyedRows = (mark: string, owner: string, seed: number, count: number): TableRow[] =>
  Array.from({ length: count }, (_, index) => ({ id: `${owner}-${(seed + index) % 10}`, value: mark }))

/** Every third load of a table that writers share replaces it. */
export const isFullOf = ({ seed }: { seed: number }, repeat: number): boolean => (seed + repeat) % 3 === 0

export const csvOf = (rows: readonly TableRow[]): string =>
  `id,value\n${rows.map(({ id, value }) => `${id},"${value}"\n`).join('')}`

/** Of an exported file: quoted cells that hold neither quotes nor line ends. */
export const rowsOfCsv = (text: string): TableRow[] =>
  text
    .split('\n')
    .filter(line => line !== '')
    .map(line => {
      const [id = '', value = ''] = line.split(',').map(cell => cell.replaceAll('"', ''))
      return { id, value }
    })
