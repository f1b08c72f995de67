/** RFC 4180 with all cells in quotes and LF at line ends: every reader reads this form alike. NULL has no quotes. */
export const formatRecord = (cells: readonly (string | null)[]): string =>
  `${cells.map(cell => (cell === null ? '' : `"${cell.replaceAll('"', '""')}"`)).join(',')}\n`
