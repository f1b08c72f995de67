import type { RoleKey } from '#lib/cloud/roles.ts'

type AssumeRole = (asked: { roleArn: string }) => Promise<RoleKey> | RoleKey

/** Longer than the longest invocation (15 minutes), so that credentials outlive the invocation. */
const leastRemainingMs = 20 * 60_000

/**
 * Each role's credentials, renewed before they could expire during an invocation.
 *
 * The result is a set of environment variables for the AWS SDK. With `AWS_CREDENTIAL_EXPIRATION` the SDK reads the
 * variables again when the old ones are about to expire, so a long-lived container only needs its variables changed.
 */
export class RoleCredentials {
  readonly #assumeRole: AssumeRole
  readonly #now: () => number
  readonly #issued = new Map<string, Promise<RoleKey>>()
  readonly #expirations = new Map<string, Date>()

  constructor(assumeRole: AssumeRole, now: () => number = Date.now) {
    this.#assumeRole = assumeRole
    this.#now = now
  }

  async environment(roleArn: string): Promise<Record<string, string>> {
    const { accessKeyId, secretAccessKey, sessionToken, expiration } = await this.#current(roleArn)
    return {
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      AWS_SESSION_TOKEN: sessionToken,
      AWS_CREDENTIAL_EXPIRATION: expiration.toISOString(),
    }
  }

  /** Whether the access key was issued here. */
  has(accessKeyId: string): boolean {
    return this.#expirations.has(accessKeyId)
  }

  async #current(roleArn: string): Promise<RoleKey> {
    const existing = await this.#issued.get(roleArn)
    if (existing && existing.expiration.getTime() - this.#now() > leastRemainingMs) return existing
    const renewed = Promise.resolve(this.#assumeRole({ roleArn }))
    this.#issued.set(roleArn, renewed)
    const credentials = await renewed
    this.#forgetExpired()
    this.#expirations.set(credentials.accessKeyId, credentials.expiration)
    return credentials
  }

  #forgetExpired(): void {
    for (const [accessKeyId, expiration] of this.#expirations)
      if (expiration.getTime() < this.#now()) this.#expirations.delete(accessKeyId)
  }
}
