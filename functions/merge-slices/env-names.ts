/** Environment of the function; its construct must set each of them. Constants only: infra/ imports this file. */
export const mergeSlicesEnvNames = [
  /** Base URL of the storage service, without `/v2/storage`. */
  'STORAGE_URL',
  /** Secret that holds the storage token. */
  'STORAGE_TOKEN_SECRET_ARN',
  /** Bucket of the file resources when the service is in the same stack, otherwise `NO_BUCKET_OF_OURS`. */
  'FILES_BUCKET',
  /** Bucket that keeps what the steps leave to each other, below `WORK_PREFIX`. */
  'WORK_BUCKET',
] as const

/** Objects below it go after some days, whatever becomes of an execution. */
export const WORK_PREFIX = '.work/'
