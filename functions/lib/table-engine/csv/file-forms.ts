/** What is known of the form of a file by how it begins. Browsers ask this, too: nothing of Node is here. */

/** Enough of a file to tell its form. */
export const FORM_BYTES = 4096

export interface FileForm {
  /** `JSON`: a list of objects. `other`: what is no table. */
  kind: 'CSV' | 'JSON lines' | 'JSON' | 'Parquet' | 'gzip' | 'other'
  /** As a sentence goes on after `is`. */
  name: string
  /** Why it cannot be loaded, as a sentence goes on after the name of the file. */
  refused?: string
}

const SAVE = 'Open it and save the sheet as "CSV UTF-8", then upload that.'
const UNPACK = 'Unpack it, and upload the files that it holds one by one.'
const EXPAND = 'Uncompress it, or compress it with gzip instead.'
const EXPORT = 'Upload it as CSV in UTF-8, JSON lines or Parquet; CSV and JSON may be compressed with gzip.'

/** By first bytes, each a letter of its number; the number after `PAR1` stands before each page and each footer. */
const FORMS: readonly (readonly [kind: FileForm['kind'], name: string, begins: string, advice?: string])[] = [
  ['gzip', 'compressed with gzip', '\x1f\x8b'],
  ['Parquet', 'in Parquet', 'PAR1\x15'],
  ['other', 'an Excel workbook', 'PK\x03\x04.{26}(\\[Content_Types\\]|_rels/|docProps/|xl/)', SAVE],
  ['other', 'an OpenDocument file', 'PK\x03\x04.{26}mimetypeapplication/vnd.oasis', SAVE],
  ['other', 'an old Excel workbook', '\xd0\xcf\x11\xe0\xa1\xb1', SAVE],
  ['other', 'a ZIP archive', 'PK(\x03\x04|\x05\x06|\x07\x08)', UNPACK],
  ['other', 'a 7z archive', '7z\xbc\xaf\x27\x1c', UNPACK],
  ['other', 'a RAR archive', 'Rar!\x1a\x07', UNPACK],
  ['other', 'a tar archive', '.{257}ustar', UNPACK],
  ['other', 'compressed with bzip2', 'BZh[1-9](1AY&SY|\x17rE8P\x90)', EXPAND],
  ['other', 'compressed with xz', '\xfd7zXZ\0', EXPAND],
  ['other', 'compressed with Zstandard', '\\(\xb5/\xfd|[\x50-\x5f]\\*M\x18', EXPAND],
  ['other', 'compressed with LZ4', '(\x04"M|\x02!L)\x18', EXPAND],
  ['other', 'compressed with Snappy', '\xff\x06\0\0sNaPpY|\x82SNAPPY\0', EXPAND],
  ['other', 'compressed with LZMA', '\\]\0\0|LZIP', EXPAND],
  ['other', 'compressed with LZO', '\x89LZO\0', EXPAND],
  ['other', 'compressed with compress', '\x1f[\x9d\xa0]', EXPAND],
  ['other', 'compressed with zlib (deflate)', 'x[\x01\\^\x9c\xda]', EXPAND],
  ['other', 'a PDF document', '%PDF-', EXPORT],
  ['other', 'in Avro', 'Obj\x01', EXPORT],
  ['other', 'in ORC', 'ORC', EXPORT],
  ['other', 'in UTF-16', '\xff\xfe|\xfe\xff', EXPORT],
]

const BINARY = FORMS.map(([kind, name, begins, advice]) => ({
  kind,
  name,
  begins: new RegExp(`^(?:${begins})`, 's'),
  refused: `is ${name}, which cannot be loaded. ${advice}`,
}))

/** What a file is that begins so. @param head of content that is not compressed, or of gzip */
export const formOf = (head: Uint8Array): FileForm => {
  const bytes = head.subarray(0, FORM_BYTES)
  const text = textOf(bytes)
  const start = String.fromCharCode(...bytes)
  // A column of CSV may be called ORC or x^2.
  const known =
    text === undefined || start.startsWith('%PDF-')
      ? BINARY.find(({ begins }) => begins.test(start))
      : undefined
  if (known === undefined)
    return formOfText(text ?? new TextDecoder().decode(bytes), bytes.length === FORM_BYTES)
  const { kind, name, refused } = known
  return kind === 'other' ? { kind, name, refused } : { kind, name }
}

/** @param isCut the file goes on after this text */
const formOfText = (text: string, isCut: boolean): FileForm => {
  if (/^\s*\[\s*[{\]]/.test(text)) return { kind: 'JSON', name: 'a JSON list' }
  if (!/^\s*(\[\s*\[|\{\s*(["}]|$))/.test(text)) return { kind: 'CSV', name: 'text' }
  const [line = '', ...rest] = text.trimStart().split('\n')
  if (line.startsWith('{') && (/\}\s*$/.test(line) || (rest.length === 0 && isCut)))
    return { kind: 'JSON lines', name: 'text' }
  return {
    kind: 'other',
    name: 'one JSON document',
    refused:
      'is one JSON document, not a table. Write a list of objects, or each row as an object on a line of its own (JSON lines), ' +
      "as `jq -c '.[]'` does, or `jq -c '.data[]'` for a list under a key.",
  }
}

const ESCAPE = 27
const LINE_FEED = 10

const hasControls = (bytes: Uint8Array): boolean =>
  bytes.some(byte => byte < 9 || (byte > 13 && byte < 32 && byte !== ESCAPE))

/** Whether a slice is text whose last line is not ended: that of the next slice would run into it. */
export const lacksLineEnd = (head: Uint8Array, lastByte: number | undefined): boolean =>
  lastByte !== LINE_FEED && !hasControls(head)

/** `undefined`: the bytes are none. */
const textOf = (bytes: Uint8Array): string | undefined => {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return hasControls(bytes) ? undefined : text
  } catch {
    return undefined
  }
}

/** Whether the name of a file says that tabs separate its cells. */
export const isTabbed = (name: string): boolean => /\.(tsv|txt)(\.gz)?$/i.test(name)

/** Names of compressions whose content does not always say so. */
const COMPRESSED: Readonly<Record<string, string>> = {
  bz2: 'bzip2',
  xz: 'xz',
  lzma: 'LZMA',
  zst: 'Zstandard',
  lz4: 'LZ4',
  lzo: 'LZO',
  br: 'Brotli',
  snappy: 'Snappy',
  sz: 'Snappy',
  deflate: 'deflate',
  z: 'compress',
}

/** As {@link FileForm.refused}, by what the name of a file says of its compression. */
export const refusedName = (name: string): string | undefined => {
  const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  if (/^(xlsx?|xlsm|ods)$/.test(extension)) return `is a workbook, which cannot be loaded. ${SAVE}`
  if (extension === 'zip') return `is a ZIP archive, which cannot be loaded. ${UNPACK}`
  return Object.hasOwn(COMPRESSED, extension)
    ? `is compressed with ${COMPRESSED[extension]}, by its name. ${EXPAND}`
    : undefined
}

/** A file in words. @param packed how the content of gzip begins */
export const nameOfForm = (head: Uint8Array, packed?: Uint8Array): string => {
  const { kind, name } = formOf(head)
  const inner = kind === 'gzip' && packed !== undefined ? nameOfForm(packed) : 'text'
  return inner === 'text' ? name : `${inner}, ${name}`
}

/**
 * Why slices after each other are no file, as a sentence goes on after `the slices cannot be put together:`; nothing where they are one. Texts
 * are, and what is compressed in one way: such files may follow each other.
 *
 * @param forms of `nameOfForm`; absent for a slice that is empty
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

/**
 * As {@link refusedJoin}: a byte order mark in the middle of a file would be a letter of its first cell there.
 *
 * @param heads how the slices begin, uncompressed
 */
export const refusedMarks = (
  heads: readonly (Uint8Array | undefined)[],
  hasHeader: boolean,
): string | undefined => {
  const first = hasHeader ? -1 : heads.findIndex(head => head?.length !== 0)
  const marked = heads.findIndex((head, index) => index > first && /^\xef\xbb\xbf/.test(startOf(head)))
  return marked === -1 ? undefined : `slice ${marked + 1} begins with a byte order mark`
}

const startOf = (head: Uint8Array | undefined): string => String.fromCharCode(...(head?.subarray(0, 3) ?? []))
