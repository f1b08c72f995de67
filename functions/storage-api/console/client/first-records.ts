/** The first records of a CSV text (RFC 4180), for a preview: what the service makes of the file, it says itself. */
export const firstRecords = (text: string, delimiter: string, limit: number): string[][] => {
  const records: string[][] = []
  let record: string[] = []
  let cell = ''
  let isQuoted = false
  const endCell = (): void => {
    record.push(cell)
    cell = ''
  }
  for (let i = text.startsWith('\ufeff') ? 1 : 0; i < text.length && records.length < limit; i++) {
    const letter = text[i]
    if (isQuoted) {
      if (letter !== '"') cell += letter
      else if (text[i + 1] === '"') {
        cell += '"'
        i++
      } else isQuoted = false
    } else if (letter === '"' && cell === '') isQuoted = true
    else if (letter === delimiter) endCell()
    else if (letter === '\n') {
      endCell()
      records.push(record)
      record = []
    } else if (letter !== '\r') cell += letter
  }
  if (records.length < limit && (cell !== '' || record.length > 0)) {
    endCell()
    records.push(record)
  }
  return records
}
