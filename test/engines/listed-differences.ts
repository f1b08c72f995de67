/** What an engine does otherwise for reasons of its own, each with its reason. */
const listed: Readonly<Record<string, readonly [check: RegExp, why: string][]>> = {
  pyiceberg: [
    [
      /^a read that outlives its credentials$/,
      'It reads a table with the credentials that came with it, and asks for others when the table is loaded again.',
    ],
  ],
  spark: [
    [
      /^changed by key: rewrite_data_files and expire_snapshots of a copy$/,
      'Its rewrite_table_path (1.10.1) copies a file of deletes once for each manifest of the history that lists it, and finds it there the second time.',
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
