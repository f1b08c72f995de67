import { md5Digest } from '../../digests.ts'

/** Letters that Unicode does not split into an ASCII letter and an accent, and signs that have a name. */
const TRANSLITERATIONS: Record<string, string> = {
  ß: 'ss',
  ẞ: 'SS',
  æ: 'ae',
  Æ: 'AE',
  œ: 'oe',
  Œ: 'OE',
  ø: 'o',
  Ø: 'O',
  đ: 'd',
  Đ: 'D',
  ð: 'd',
  Ð: 'D',
  þ: 'th',
  Þ: 'TH',
  ł: 'l',
  Ł: 'L',
  ħ: 'h',
  Ħ: 'H',
  ı: 'i',
  ŋ: 'n',
  Ŋ: 'N',
  ŧ: 't',
  Ŧ: 'T',
  ſ: 's',
  '€': 'EUR',
  '£': 'GBP',
  '¥': 'JPY',
  '©': '(C)',
  '®': '(R)',
  '№': 'No',
}

/** Names that are reserved in the hosted service's databases. */
const RESERVED = new Set(['oid', 'tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid'])

/** Maximal number of columns of a table. In a load DuckDB needs about 0.3 MiB of memory for each. */
export const MAX_COLUMNS = 2_000

/** Longer column names are cut in headers and refused where a table is created. */
export const MAX_COLUMN_NAME_LENGTH = 64

/**
 * The column name for a heading of any script, in the whole product: ASCII letters, digits and `_`
 * (docs/reference/storage-api.md#column-names). Letters that ASCII has not make it a marked name: `ид` is another one than `имя`.
 */
export const sanitizeColumnName = (name: string): string => {
  const ascii = asciiName(name)
  return losesLetters(name) ? markedName(ascii, name) : ascii
}

/** Whether letters or digits of a text are not among those of ASCII that are made of it. Accents that stand alone (`ˇ`) are none. */
export const losesLetters = (text: string): boolean =>
  /[^\0-\x7f]/.test(transliterate(text).replaceAll(/[^\p{L}\p{N}]|[\u02b0-\u02ff]/gu, ''))

/** What could be made of a text, with a mark that tells it from others of which the same was made. */
export const markedName = (made: string, text: string): string =>
  `${made.slice(0, MAX_COLUMN_NAME_LENGTH - 9) || 'column'}_${md5Digest(text).slice(0, 8)}`

/**
 * The ASCII letters, digits and `_` of a text.
 *
 * Accents are dropped, other runs of characters become one `_`, `_` at both ends is dropped, and a reserved name gets
 * `_` at its end. `Größe (cm)` becomes `Grosse_cm`. The result may be empty. Idempotent.
 */
export const asciiName = (name: string): string => {
  const ascii = transliterate(name)
  const sanitized = ascii.replaceAll(/[^A-Za-z0-9_]+/g, '_').replaceAll(/^_+|_+$/g, '')
  return RESERVED.has(sanitized.toLowerCase()) ? `${sanitized}_` : sanitized
}

/** In ASCII letters as far as they are known; other letters stay. */
export const transliterate = (name: string): string => [...name.normalize('NFC')].map(toAscii).join('')

/** NFKD splits accented letters, and also ligatures and full-width letters. The marks are then dropped. */
const toAscii = (character: string): string =>
  TRANSLITERATIONS[character] ??
  [...character.normalize('NFKD').replaceAll(/\p{M}+/gu, '')]
    .map(part => TRANSLITERATIONS[part] ?? part)
    .join('')
    // Signs without a sound, such as emoji, leave nothing: `total 💰` becomes `total`, not `total_`.
    .replaceAll(/[\p{Extended_Pictographic}\p{Cf}]/gu, character =>
      /[0-9#*]/.test(character) ? character : '',
    )
