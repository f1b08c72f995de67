import { type CsvChunk, type RecordPlace, type SplitCsvOptions, splitCsv } from '../split-csv.ts'

/** What comes before the records of a file. */
export interface Preamble {
  header: CsvChunk | undefined
  /** Where the first record begins. Undefined: there is none. */
  start: RecordPlace | undefined
}

/** Reads a file up to its first record. Throws `UserError` `invalidCsv` when something is wrong up to there. */
export const readPreamble = async (
  file: AsyncIterable<Uint8Array>,
  options: Omit<SplitCsvOptions, 'chunkBytes' | 'from'>,
): Promise<Preamble> => {
  const chunks = splitCsv(file, { ...options, chunkBytes: 1 })
  try {
    let { value, done } = await chunks.next()
    const header = !done && value.isHeader ? value : undefined
    if (header) ({ value, done } = await chunks.next())
    return { header, start: done ? undefined : value.start }
  } finally {
    await chunks.return(undefined)
  }
}
