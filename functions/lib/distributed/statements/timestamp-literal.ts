/** `TIMESTAMP '2026-11-21 22:41:09.123000 UTC'`, with microseconds as Iceberg stores them. */
export const timestampLiteral = (time: Date): string =>
  `TIMESTAMP '${time.toISOString().replace('T', ' ').replace('Z', '000')} UTC'`
