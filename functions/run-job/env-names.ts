/** Environment of the function; its construct must set each of them. Constants only: infra/ imports this file. */
export const runJobEnvNames = [
  /** DynamoDB table of the service's items. */
  'STORAGE_TABLE',
  /** Bucket of the file resources. */
  'FILES_BUCKET',
  /** Bucket of the table snapshots (Parquet). */
  'TABLES_BUCKET',
  /** Days for which the earlier snapshots of a table stay readable. */
  'SNAPSHOT_RETENTION_DAYS',
  /** State machine of the service's asynchronous jobs: a blocked job starts the one before it if nobody did. */
  'JOB_MACHINE_ARN',
  /** State machine that runs configurations of the extractor. */
  'EXTRACT_MACHINE_ARN',
  'PROJECT_ID',
  /** JSON array of the private hosts that `dataUrl` may name, as written in addresses. */
  'ALLOWED_HOSTS',
  /** `true` or `false`: loads and exports that outgrow one function are done side by side, or refused. */
  'DISTRIBUTED',
  /** Stored bytes of a load that one function still does by itself. */
  'SINGLE_LOAD_BYTES',
  /** Staged bytes that one function merges into a table by its primary key. */
  'SINGLE_MERGE_BYTES',
  /** Bytes of a table that one function still exports by itself. */
  'SINGLE_EXPORT_BYTES',
  /** Bytes of the table in each part of a larger export. */
  'EXPORT_PART_BYTES',
  /** Database of the Glue Data Catalog; `none` in a stack that has none. */
  'GLUE_DATABASE',
] as const
