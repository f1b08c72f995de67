/**
 * Text in the CSV that is made of a file which keeps NULL and the empty text apart: NULL is an empty cell, and a text that is empty, or
 * nothing but marks, has one more mark (U+001A).
 */
const MARKED = String.raw`\x1A+`

/** The text of a value for such a cell, in SQL; NULL stays NULL. */
export const markSql = (text: string): string =>
  `CASE WHEN regexp_full_match(${text}, '${MARKED}|') THEN ${text} || chr(26) ELSE ${text} END`

/** The same of a text that is here. */
export const marked = (text: string): string => (text === '' || isMarked(text) ? `${text}\x1A` : text)

export const isMarkedSql = (cell: string): string =>
  `starts_with(${cell}, chr(26)) AND regexp_full_match(${cell}, '${MARKED}')`

/** Of a cell for which {@link isMarkedSql} holds. */
export const unmarkSql = (cell: string): string => `substr(${cell}, 2)`

/** The same of a cell that is here. */
export const isMarked = (cell: string): boolean => new RegExp(`^(?:${MARKED})$`).test(cell)
