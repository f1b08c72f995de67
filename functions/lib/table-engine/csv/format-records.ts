/** RFC 4180 with every cell in quotes and lines that end with LF: the one form that each reader reads alike. */
export const formatRecord = (cells: string[]): string =>
  `${cells.map(cell => `"${cell.replaceAll('"', '""')}"`).join(',')}\n`
