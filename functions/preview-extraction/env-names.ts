/** Environment of the function; its construct must set each of them. Constants only: infra/ imports this file. */
export const previewExtractionEnvNames = [
  'PROJECT_ID',
  /** KMS key that the secrets of configurations are sealed under. */
  'SECRETS_KEY_ARN',
  /** JSON list of private hosts that extractions may reach. */
  'ALLOWED_HOSTS',
] as const
