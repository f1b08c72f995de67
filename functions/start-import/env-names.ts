/** Environment of the function; its construct must set each of them. Constants only: infra/ imports this file. */
export const startImportEnvNames = [
  /** Base URL of the storage service, without `/v2/storage`. */
  'STORAGE_URL',
  /** Secret that holds the storage token. */
  'STORAGE_TOKEN_SECRET_ARN',
  /** DynamoDB table with one claim per object version. */
  'IMPORTS_TABLE',
  /** Bucket of the file resources when the service is in the same stack, otherwise `NO_BUCKET_OF_OURS`. */
  'FILES_BUCKET',
  /** `true` or `false`: loads that outgrow one function are done side by side, or refused. `none`: the service is elsewhere. */
  'DISTRIBUTED',
  /** Stored bytes of a load that one function still does by itself. `none`: the service is elsewhere, and knows it itself. */
  'SINGLE_LOAD_BYTES',
] as const

/** File beside the bundle: JSON array of key rules that are tried before the built-in convention. */
export const LANDING_RULES_FILE = 'landing-rules.json'

/** No bucket can have this name: S3 allows no capitals. */
export const NO_BUCKET_OF_OURS = 'NONE'
