/** Environment of the function; its construct must set each of them. Constants only: infra/ imports this file. */
export const mergeByQueryEnvNames = [
  /** DynamoDB table of the service's items. */
  'STORAGE_TABLE',
  /** Bucket of the table snapshots (Parquet). */
  'TABLES_BUCKET',
  /** Days for which the earlier snapshots of a table stay readable. */
  'SNAPSHOT_RETENTION_DAYS',
  /** Database of the Glue Data Catalog. */
  'GLUE_DATABASE',
  /** Workgroup of Athena: it bounds what a query may scan, and says where results go. */
  'ATHENA_WORKGROUP',
  /** Seconds after which a query is stopped. */
  'QUERY_TIMEOUT_SECONDS',
] as const
