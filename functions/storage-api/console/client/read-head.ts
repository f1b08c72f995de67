import { type FileForm, FORM_BYTES, formOf } from '#lib/table-engine/csv/file-forms.ts'
import { type JsonText, JsonValues } from '#lib/table-engine/csv/json-values.ts'

/** How a file begins: what it is, and its first records with their header. */
export interface Head {
  form: FileForm['kind']
  isCompressed: boolean
  delimiter: string
  records: string[][]
  /** Why it cannot be loaded: `is a PDF document, not CSV. …` */
  refused?: string | undefined
}

const HEAD_BYTES = 256 * 1024
/** With their header. */
const RECORDS = 6
const DELIMITERS = [',', ';', '\t', '|']

/** @param given the delimiter; without one, that which the first line has most of */
export const readHead = async (file: File, given?: string): Promise<Head> => {
  const start = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer())
  const isCompressed = formOf(start.subarray(0, FORM_BYTES)).kind === 'gzip'
  const bytes = isCompressed ? await uncompressed(start) : start
  const { kind, refused } = formOf(bytes.subarray(0, FORM_BYTES))
  const known = { form: kind, isCompressed, delimiter: given ?? ',', refused }
  if (refused !== undefined || kind === 'Parquet') return { ...known, records: [] }
  if (kind !== 'CSV') return { ...known, records: recordsOfJson(bytes, kind === 'JSON') }
  const text = new TextDecoder().decode(bytes)
  const delimiter = given ?? guessDelimiter(text)
  const records = firstRecords(text, delimiter, RECORDS)
  // The last one is cut off where the file goes on.
  return {
    ...known,
    delimiter,
    records: records.length < RECORDS && file.size > HEAD_BYTES ? records.slice(0, -1) : records,
  }
}

/** What a beginning of gzip holds: it ends in the middle. */
const uncompressed = async (start: Uint8Array<ArrayBuffer>): Promise<Uint8Array> => {
  const reader = new Blob([start]).stream().pipeThrough(new DecompressionStream('gzip')).getReader()
  const pieces: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  try {
    while (bytes < HEAD_BYTES) {
      const { value, done } = await reader.read()
      if (done) break
      pieces.push(value)
      bytes += value.length
    }
  } catch {
    // All that could be read is here.
  }
  void reader.cancel().catch(() => undefined)
  return new Uint8Array(await new Blob(pieces).arrayBuffer())
}

const guessDelimiter = (text: string): string => {
  const unquoted = /^[^\r\n]*/.exec(text.replace(/"(?:[^"]|"")*"/g, ''))?.[0] ?? ''
  const often = (delimiter: string): number => unquoted.split(delimiter).length
  return DELIMITERS.reduce((best, each) => (often(each) > often(best) ? each : best))
}

const recordsOfJson = (bytes: Uint8Array, isList: boolean): string[][] => {
  const values = new JsonValues(isList, problem => new Error(problem))
  const rows: Record<string, unknown>[] = []
  const add = (texts: Iterable<JsonText>): void => {
    for (const text of texts) rows.push(JSON.parse(new TextDecoder().decode(text.bytes))) // an object, or the service says so
  }
  try {
    add(values.next(bytes))
    if (!isList) add(values.last())
  } catch {
    // The file goes on after these bytes, or the service says what is wrong.
  }
  const columns = [...new Set(rows.flatMap(Object.keys))]
  const cellOf = (value: unknown): string =>
    value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)
  return [columns, ...rows.slice(0, RECORDS - 1).map(row => columns.map(column => cellOf(row[column])))]
}

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
