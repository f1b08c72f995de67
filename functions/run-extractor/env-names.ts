/** Environment of the function; its construct must set each of them. Constants only: infra/ imports this file. */
export const runExtractorEnvNames = [
  /** Base URL of the storage service, without `/v2/storage`. */
  'STORAGE_URL',
  /** Secret that holds the storage token. */
  'STORAGE_TOKEN_SECRET_ARN',
  /** Bucket for what a run has to remember between its steps. */
  'WORK_BUCKET',
  /** Secrets of configurations are sealed for this project. */
  'PROJECT_ID',
  /** KMS key that opens them; `NO_KEY_OF_OURS` where another service holds it. */
  'SECRETS_KEY_ARN',
  /** Seconds after which a leg stops at the next page. */
  'LEG_SECONDS',
  /** JSON array of hosts that are reached although they are not on the public internet. */
  'ALLOWED_HOSTS',
] as const

/** No key has this ARN. */
export const NO_KEY_OF_OURS = 'NONE'

/** Folder of the budgets that runs share, in the work bucket. */
export const BUDGETS_PREFIX = 'budgets/'

/** Folder of the answers that configurations keep for conditional requests, in the work bucket. */
export const ANSWERS_PREFIX = 'answers/'
/** Folder of the keys that jobs with `deletions` keep in the work bucket. */
export const KEY_SETS_PREFIX = 'key-sets/'

/** Folder of the leases of configurations in the work bucket. Version 0.1 gave it its name. */
export const LEASES_PREFIX = 'turns/'
