/** Environment of the function; its construct must set each of them. Constants only: infra/ imports this file. */
export const splitWorkEnvNames = [
  /** Bucket of the table snapshots (Parquet). */
  'TABLES_BUCKET',
  /** Bytes of CSV that one invocation scans or stages. */
  'LOAD_RANGE_BYTES',
] as const
