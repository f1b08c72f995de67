import { UserError } from '../../errors/errors.ts'
import { FORM_BYTES, formOf } from './file-forms.ts'
import { gunzip } from './gunzip.ts'
import { type JsonRows, rowsOfJson } from './rows-of-json.ts'

/** The uncompressed content of a data file. */
export interface OpenedFile {
  bytes: AsyncIterable<Uint8Array>
  /** Of JSON, in place of its bytes. */
  rows: () => AsyncGenerator<JsonRows>
  isCompressed: boolean
  /** `undefined`: there are no bytes. */
  form: 'csv' | 'json' | 'parquet' | undefined
  /** Gives up a file whose bytes were not all read. */
  close: () => Promise<void>
}

/**
 * Uncompresses a file if it is gzip, which it detects by the content, as it does Parquet and JSON.
 *
 * Throws `UserError` `invalidCsv`, at once or during reading: for archives and other formats, and for gzip that is
 * truncated, damaged, followed by something else, or a bomb. `source` names the file in messages.
 */
export const openFile = async (
  file: AsyncIterable<Uint8Array>,
  source = 'The file',
  maxUncompressedBytes?: number,
): Promise<OpenedFile> => {
  const plain = await peek(file, FORM_BYTES)
  if (formOf(plain.head).kind !== 'gzip') return { ...readForm(plain, source), isCompressed: false }
  const uncompressed = await peek(gunzip(plain.rest, source, { maxUncompressedBytes }), FORM_BYTES)
  return { ...readForm(uncompressed, source), isCompressed: true }
}

const FORMS = { CSV: 'csv', 'JSON lines': 'json', JSON: 'json', Parquet: 'parquet' } as const

const readForm = (
  { head, rest, close }: Awaited<ReturnType<typeof peek>>,
  source: string,
): Omit<OpenedFile, 'isCompressed'> => {
  const { kind, name, refused } = formOf(head)
  if (kind === 'gzip' || kind === 'other')
    throw new UserError('invalidCsv', `${source} ${refused ?? `is ${name} twice. Uncompress it once.`}`)
  const form = head.length === 0 ? undefined : FORMS[kind]
  const rows = () => rowsOfJson(rest, { source, isList: kind === 'JSON' })
  return { bytes: rest, rows, form, close }
}

/** The first `count` bytes (fewer in a smaller file), and the complete file. */
const peek = async (
  file: AsyncIterable<Uint8Array>,
  count: number,
): Promise<{ head: Buffer; rest: AsyncIterable<Uint8Array>; close: () => Promise<void> }> => {
  const iterator = file[Symbol.asyncIterator]()
  const pieces: Uint8Array[] = []
  let length = 0
  while (length < count) {
    const next = await iterator.next()
    if (next.done) break
    length += next.value.length
    // The next piece may overwrite this one.
    pieces.push(length < count ? Buffer.from(next.value) : next.value)
  }
  const resume = async function* (): AsyncGenerator<Uint8Array> {
    try {
      yield* pieces
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value
    } finally {
      await iterator.return?.()
    }
  }
  const close = async (): Promise<void> => {
    await iterator.return?.()
  }
  return { head: Buffer.concat(pieces, Math.min(length, count)), rest: resume(), close }
}
