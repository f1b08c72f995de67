/** What is known of the form of a file by how it begins. Browsers ask this, too: nothing of Node is here. */

import { PARQUET } from './signature.ts'

/** Enough of a file to tell its form. */
export const FORM_BYTES = 4096

export const GZIP = [0x1f, 0x8b]

/** Files that are no tables, whatever their names, by their first bytes. */
const REFUSED: { name: string; signature: number[] }[] = [
  { name: 'a ZIP archive (or an Excel workbook)', signature: [0x50, 0x4b, 0x03, 0x04] },
  { name: 'an empty ZIP archive', signature: [0x50, 0x4b, 0x05, 0x06] },
  { name: 'compressed with bzip2', signature: [0x42, 0x5a, 0x68, 0x39, 0x31, 0x41] },
  { name: 'compressed with xz', signature: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00] },
  { name: 'compressed with Zstandard', signature: [0x28, 0xb5, 0x2f, 0xfd] },
  { name: 'a 7z archive', signature: [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c] },
  { name: 'an old Excel workbook', signature: [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1] },
  { name: 'a PDF document', signature: [0x25, 0x50, 0x44, 0x46, 0x2d] },
  { name: 'in Avro', signature: [0x4f, 0x62, 0x6a, 0x01] },
  { name: 'in ORC', signature: [0x4f, 0x52, 0x43, 0x0a] },
  { name: 'in UTF-16', signature: [0xff, 0xfe] },
  { name: 'in UTF-16', signature: [0xfe, 0xff] },
]

export const startsWith = (bytes: Uint8Array, signature: readonly number[]): boolean =>
  signature.every((byte, index) => bytes[index] === byte)

/**
 * What a file is that cannot be loaded, as a sentence goes on after its name; nothing for one that can.
 *
 * @param head uncompressed
 */
export const refusedForm = (head: Uint8Array): string | undefined => {
  const known = REFUSED.find(({ signature }) => startsWith(head, signature))
  if (known)
    return `is ${known.name}, not CSV. Upload it as CSV in UTF-8, JSON lines or Parquet; CSV and JSON lines may be compressed with gzip.`
  if (isJsonLines(head) || !isJsonDocument(textOf(head))) return undefined
  return "is one JSON document, not a table. Write each row as an object on a line of its own (JSON lines), as `jq -c '.[]'` does."
}

/** What a file is that begins so, as a sentence goes on after `is`. `packed`: how the content of gzip begins. */
export const formOf = (head: Uint8Array, packed?: Uint8Array): string => {
  if (startsWith(head, GZIP)) {
    const inner = packed === undefined ? 'text' : formOf(packed)
    return inner === 'text' ? 'compressed with gzip' : `${inner}, compressed with gzip`
  }
  if (startsWith(head, PARQUET)) return 'in Parquet'
  const known = REFUSED.find(({ signature }) => startsWith(head, signature))
  if (known) return known.name
  return isJsonDocument(textOf(head)) && !isJsonLines(head) ? 'one JSON document' : 'text'
}

/**
 * Why slices after each other are no file, as a sentence goes on after `the slices cannot be put together:`; nothing where they are one. Texts
 * are, and what is compressed in one way: such files may follow each other.
 *
 * @param forms of `formOf`; absent for a slice that is empty
 */
export const refusedJoin = (
  forms: readonly (string | undefined)[],
  hasHeader: boolean,
): string | undefined => {
  const filled = forms.flatMap((form, index) => (form === undefined ? [] : [{ form, slice: index + 1 }]))
  const [first, ...others] = filled
  const other = others.find(({ form }) => form !== first?.form)
  if (first && other) return `slice ${first.slice} is ${first.form} and slice ${other.slice} is ${other.form}`
  const isAlone = others.length === 0 && !hasHeader
  return first === undefined || isAlone || /^(text|compressed with [^,]+)$/.test(first.form)
    ? undefined
    : `each is ${first.form}, which is a file of its own`
}

/** Whether each line is an object of JSON, as far as the first says. */
export const isJsonLines = (head: Uint8Array): boolean => {
  const text = textOf(head)
  if (!/^\s*\{\s*["}]/.test(text)) return false
  const [line = '', ...rest] = text.trimStart().split(/\r?\n/)
  // A first line that is longer than what was looked at.
  if (rest.length === 0 && head.length >= FORM_BYTES) return true
  try {
    JSON.parse(line)
    return true
  } catch {
    return false
  }
}

/** A list or an object that begins as JSON does: no record of CSV does. */
const isJsonDocument = (text: string): boolean => /^\s*(\[\s*[[{\]]|\{\s*(["}]|$))/.test(text)

const textOf = (head: Uint8Array): string =>
  new TextDecoder().decode(head.subarray(0, FORM_BYTES)).replace(/^\ufeff/, '')
