/**
 * A name as an SQL identifier. Throws for NUL, which DuckDB's SQL cannot hold.
 *
 * @example quoteIdentifier('order "id"') // "order ""id"""
 */
export const quoteIdentifier = (name: string): string => `"${refuseNul(name).replaceAll('"', '""')}"`

/** A text as an SQL literal. Throws for NUL. In DuckDB's plain literals only the quote is special, and is doubled. */
export const quoteLiteral = (text: string): string => `'${refuseNul(text).replaceAll("'", "''")}'`

const refuseNul = (text: string): string => {
  if (text.includes('\0')) throw new TypeError('SQL text cannot hold a NUL character.')
  return text
}

/** A time as an SQL `TIMESTAMP`. It has no zone: ours are all UTC. */
export const quoteTimestamp = (time: Date): string =>
  `TIMESTAMP ${quoteLiteral(time.toISOString().replace('T', ' ').replace('Z', ''))}`

/** A list of texts as an SQL list, `['a', 'b']`. */
export const quoteList = (texts: string[]): string => `[${texts.map(quoteLiteral).join(', ')}]`
