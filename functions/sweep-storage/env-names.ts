/** Environment of the function; its construct must set each of them. Constants only: infra/ imports this file. */
export const sweepStorageEnvNames = [
  /** DynamoDB table of the service's items. */
  'STORAGE_TABLE',
  /** Bucket of the file resources. */
  'FILES_BUCKET',
  /** Bucket of the table snapshots (Parquet). */
  'TABLES_BUCKET',
  /** Days for which the earlier snapshots of a table stay readable. */
  'SNAPSHOT_RETENTION_DAYS',
  /** Database of the Glue Data Catalog; `none` in a stack that has none. */
  'GLUE_DATABASE',
] as const
