interface OtherImplementation {
  readonly settings: {
    readonly endpoint: string
    readonly region: string
    readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string }
  }
  /** It is not ours to end. */
  close(): Promise<void>
}

/**
 * A service that tests are pointed to instead of the one they start. Region and credentials are those of the AWS SDK;
 * without `AWS_ACCESS_KEY_ID` and a profile, made-up ones, which services for tests accept.
 */
export const otherImplementation = (variable: string): OtherImplementation | undefined => {
  const endpoint = process.env[variable]
  if (!endpoint) return undefined
  const { AWS_REGION: region = 'us-east-1', AWS_ACCESS_KEY_ID, AWS_PROFILE } = process.env
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test-secret' }
  return {
    settings: {
      endpoint,
      region,
      ...(AWS_ACCESS_KEY_ID || AWS_PROFILE ? {} : { credentials }),
    },
    close: async () => {},
  }
}
