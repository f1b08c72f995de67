/** What an engine does otherwise for reasons of its own, each with its reason. */
const listed: Readonly<Record<string, readonly [check: RegExp, why: string][]>> = {
  pyiceberg: [
    [
      /^a read that outlives its credentials$/,
      'It reads a table with the credentials that came with it, and asks for others when the table is loaded again.',
    ],
  ],
  trino: [
    [
      /^\$(all_)?entries, a column was dropped$/,
      'It looks for the types of bounds in the current schema, which has no column that was dropped.',
    ],
  ],
}

export const isListed = (engine: string, check: string): boolean =>
  (listed[engine] ?? []).some(([pattern]) => pattern.test(check))
