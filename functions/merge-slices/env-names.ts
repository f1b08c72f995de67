/** Environment of the function; its construct must set each of them. Constants only: infra/ imports this file. */
export const mergeSlicesEnvNames = [
  /** Base URL of the storage service, without `/v2/storage`. */
  'STORAGE_URL',
  /** Secret that holds the storage token. */
  'STORAGE_TOKEN_SECRET_ARN',
  /** Bucket of the file resources when the service is in the same stack, otherwise `NO_BUCKET_OF_OURS`. */
  'FILES_BUCKET',
  /** Bucket for the data that the steps pass to each other, below `WORK_PREFIX`. */
  'WORK_BUCKET',
] as const

/** A lifecycle rule removes objects below it after some days. */
export const WORK_PREFIX = '.work/'
