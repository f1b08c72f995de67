/** What an engine does otherwise for reasons of its own, each with its reason. */
const listed: Readonly<Record<string, readonly [check: RegExp, why: string][]>> = {
  trino: [
    [
      /^\$(all_)?entries, a column was dropped$/,
      'It looks for the types of bounds in the current schema, which has no column that was dropped.',
    ],
  ],
}

export const isListed = (engine: string, check: string): boolean =>
  (listed[engine] ?? []).some(([pattern]) => pattern.test(check))
