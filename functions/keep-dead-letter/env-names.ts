/** Environment of the function; its construct must set it. Constants only: infra/ imports this file. */
export const keepDeadLetterEnvNames = [
  /** DynamoDB table of the service's items. */
  'STORAGE_TABLE',
] as const
