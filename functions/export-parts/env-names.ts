/** Environment of the function; its construct must set each of them. Constants only: infra/ imports this file. */
export const exportPartsEnvNames = [
  /** Bucket of the table snapshots (Parquet). */
  'TABLES_BUCKET',
] as const
