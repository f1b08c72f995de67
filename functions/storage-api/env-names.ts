/** Environment of the function; its construct must set each of them. Constants only: infra/ imports this file. */
export const storageApiEnvNames = [
  /** DynamoDB table of the service's items. */
  'STORAGE_TABLE',
  /** Bucket of the file resources. */
  'FILES_BUCKET',
  /** Bucket of the table snapshots (Parquet). */
  'TABLES_BUCKET',
  /** Role for temporary file credentials, restricted by a session policy. */
  'FILE_ACCESS_ROLE_ARN',
  /** Role for temporary credentials of tables, restricted by a session policy. */
  'TABLE_ACCESS_ROLE_ARN',
  /** State machine that runs the service's asynchronous jobs. */
  'JOB_MACHINE_ARN',
  /** Secret that holds the master storage token. */
  'STORAGE_TOKEN_SECRET_ARN',
  /** KMS key that seals the secrets in configurations. */
  'SECRETS_KEY_ARN',
  /** State machine of extractions, whose runs are listed; `none` in a stack that has none. */
  'EXTRACT_MACHINE_ARN',
  /** Name of the function that previews configurations; `none` in a stack without extractions. */
  'PREVIEW_FUNCTION',
  'PROJECT_ID',
  /** Customer's KMS key of files and tables; `none` when they are under keys of AWS. */
  'DATA_KEY_ARN',
  /** Database of the Glue Data Catalog; `none` in a stack that has none. */
  'GLUE_DATABASE',
  /** `true` or `false`: loads that outgrow one function are done side by side, or refused. */
  'DISTRIBUTED',
  /** Stored bytes of a load that one function still does by itself. */
  'SINGLE_LOAD_BYTES',
] as const
