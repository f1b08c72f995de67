/** By Unicode code points, as UTF-8 bytes and DuckDB order texts. JavaScript's own order differs beyond U+FFFF. */
export const compareText = (one: string, other: string): number =>
  Buffer.compare(Buffer.from(one), Buffer.from(other))
