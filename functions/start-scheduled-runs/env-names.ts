/** Environment of the function; its construct must set each of them. Constants only: infra/ imports this file. */
export const startScheduledRunsEnvNames = [
  /** Base URL of the storage service, without `/v2/storage`. */
  'STORAGE_URL',
  /** Secret that holds the storage token. */
  'STORAGE_TOKEN_SECRET_ARN',
  /** State machine that runs configurations. */
  'EXTRACT_MACHINE_ARN',
  /** JSON array of the components whose configurations may have schedules. */
  'COMPONENTS',
] as const
