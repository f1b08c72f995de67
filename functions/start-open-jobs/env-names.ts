/** Environment of the function; its construct must set each of them. Constants only: infra/ imports this file. */
export const startOpenJobsEnvNames = [
  /** DynamoDB table of the service's items. */
  'STORAGE_TABLE',
  /** State machine that runs jobs. */
  'JOB_MACHINE_ARN',
] as const
