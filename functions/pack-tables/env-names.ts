/** Environment of the function; its construct must set each of them. Constants only: infra/ imports this file. */
export const packTablesEnvNames = [
  /** DynamoDB table of the service's items. */
  'STORAGE_TABLE',
  /** Bucket of the table snapshots (Parquet). */
  'TABLES_BUCKET',
  /** State machine that runs jobs. */
  'JOB_MACHINE_ARN',
  /** Tables of more bytes outgrow one function. */
  'SINGLE_MERGE_BYTES',
  /** Bytes that queries may rewrite on one day. */
  'OPTIMIZE_BYTES_PER_DAY',
] as const
