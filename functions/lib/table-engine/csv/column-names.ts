/** Letters that Unicode does not decompose into an ASCII letter and an accent, and signs with a name of their own. */
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

/** Names that columns of the hosted service's databases already have. */
const RESERVED = new Set(['oid', 'tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid'])

/** A column name is this long at most; longer ones are cut in headers and refused where a table is created. */
export const MAX_COLUMN_NAME_LENGTH = 64

/**
 * The name that a column gets in a table: ASCII letters, digits and `_` (docs/reference/storage-api.md#column-names).
 *
 * Accents go, other runs of characters become one `_`, `_` at both ends goes; a reserved name gets `_` at its end.
 * `Größe (cm)` becomes `Grosse_cm`. The result is empty when nothing is left. Sanitising twice changes nothing more.
 */
export const sanitizeColumnName = (name: string): string => {
  const ascii = [...name.normalize('NFC')].map(toAscii).join('')
  const sanitized = ascii.replaceAll(/[^A-Za-z0-9_]+/g, '_').replaceAll(/^_+|_+$/g, '')
  return RESERVED.has(sanitized.toLowerCase()) ? `${sanitized}_` : sanitized
}

/** NFKD takes an accented letter apart, and compatibility forms such as ligatures and full-width letters; marks then go. */
const toAscii = (character: string): string =>
  TRANSLITERATIONS[character] ??
  [...character.normalize('NFKD').replaceAll(/\p{M}+/gu, '')]
    .map(part => TRANSLITERATIONS[part] ?? part)
    .join('')
    // Signs that stand for no sound, such as emoji, leave nothing: `total 💰` is `total`, not `total_`.
    .replaceAll(/[\p{Extended_Pictographic}\p{Cf}]/gu, character =>
      /[0-9#*]/.test(character) ? character : '',
    )
