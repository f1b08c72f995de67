/** Environment of the function; its construct must set each of them. Constants only: infra/ imports this file. */
export const fireTriggersEnvNames = [
  /** DynamoDB table of the service's items. */
  'STORAGE_TABLE',
  /** Bucket of the tables, which also holds large configurations. */
  'TABLES_BUCKET',
  /** State machine that runs jobs. */
  'JOB_MACHINE_ARN',
  /** Base URL of the storage service, without `/v2/storage`: addresses in the job begin with it. */
  'STORAGE_URL',
  /** JSON array of the components whose configurations can be run. */
  'RUNNABLE_COMPONENTS',
] as const
