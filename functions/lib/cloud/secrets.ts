interface SecretVersion {
  /** Empty when the secret holds no text. */
  text: string
  /** Milliseconds since 1970. */
  createdAt: number
}

type SecretStage = 'AWSCURRENT' | 'AWSPREVIOUS'

/**
 * A version of a secret: of Secrets Manager in an account, of a file on one machine. Resolves to `undefined` where the secret was never
 * replaced and so has none before.
 */
export type ReadSecret = (secretArn: string, stage: SecretStage) => Promise<SecretVersion | undefined>
