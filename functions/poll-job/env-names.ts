/** Environment of the function; its construct must set each of them. Constants only: infra/ imports this file. */
export const pollJobEnvNames = [
  /** Base URL of the storage service, without `/v2/storage`. */
  'STORAGE_URL',
  /** Secret that holds the storage token. */
  'STORAGE_TOKEN_SECRET_ARN',
] as const
