/**
 * A name as an SQL identifier; any text but one with NUL, which DuckDB's SQL cannot hold.
 *
 * @example quoteIdentifier('order "id"') // "order ""id"""
 */
export const quoteIdentifier = (name: string): string => `"${refuseNul(name).replaceAll('"', '""')}"`

/** A text as an SQL literal; any text but one with NUL. DuckDB knows no escapes in plain literals but the doubled quote. */
export const quoteLiteral = (text: string): string => `'${refuseNul(text).replaceAll("'", "''")}'`

const refuseNul = (text: string): string => {
  if (text.includes('\0')) throw new TypeError('SQL text cannot hold a NUL character.')
  return text
}

/** A point in time as an SQL `TIMESTAMP` (which has no zone: ours are all UTC). */
export const quoteTimestamp = (time: Date): string =>
  `TIMESTAMP ${quoteLiteral(time.toISOString().replace('T', ' ').replace('Z', ''))}`

/** A list of texts as an SQL list, `['a', 'b']`. */
export const quoteList = (texts: string[]): string => `[${texts.map(quoteLiteral).join(', ')}]`
