interface SecretVersion {
  /** Empty when the secret holds no text. */
  text: string
  /** Milliseconds since 1970. */
  createdAt: number
}

type SecretStage = 'AWSCURRENT' | 'AWSPREVIOUS'

/** A version of a secret in Secrets Manager; `undefined` when the secret has none of that stage. */
export type ReadSecret = (secretArn: string, stage: SecretStage) => Promise<SecretVersion | undefined>
