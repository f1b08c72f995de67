/** RFC 4180 with all cells in quotes and LF at line ends: every reader reads this form alike. */
export const formatRecord = (cells: string[]): string =>
  `${cells.map(cell => `"${cell.replaceAll('"', '""')}"`).join(',')}\n`
