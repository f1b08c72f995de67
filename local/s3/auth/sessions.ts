import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import { S3Error } from '../errors.ts'
import type { Principal, Session, TemporaryKey } from './caller.ts'
import { type AccessRequest, isAllowedBy } from './policy.ts'
import { type PolicyDocument, parsePolicy, type Statement } from './policy-document.ts'

/** What roles allow, and the policy that narrows a session, which is JSON. */
interface AskedSession {
  roleArn: string
  policy?: string | undefined
}

const sessionMs = 3600 * 1000

/**
 * Temporary keys of roles. Nothing is kept of them: the token holds what they may do, sealed under a key that follows from
 * the account's own. So they survive a restart, cost no write, and end when the account's key is replaced.
 */
export class Sessions {
  readonly #key: Buffer
  readonly #roles: ReadonlyMap<string, Statement[]>
  /** By token: each request of a session brings it. */
  readonly #opened = new Map<string, Session>()

  /** Throws for a policy that cannot be enforced. */
  constructor(rootSecret: string, roles: ReadonlyMap<string, PolicyDocument>) {
    this.#key = createHmac('sha256', rootSecret).update('sessions').digest()
    this.#roles = new Map([...roles].map(([arn, policy]) => [arn, parsePolicy(policy)]))
  }

  /** Throws for a role that is not there, and for a policy that cannot be enforced. */
  issue({ roleArn, policy }: AskedSession): TemporaryKey {
    if (!this.#roles.has(roleArn)) throw new S3Error('AccessDenied', `There is no role ${roleArn}.`)
    if (policy !== undefined) parsePolicy(JSON.parse(policy))
    // As AWS writes them: some clients recognise temporary keys by their prefix.
    const accessKeyId = `ASIA${base32(randomBytes(16))}`
    const expiration = new Date(Date.now() + sessionMs)
    const sealed = JSON.stringify({ roleArn, policy, expires: expiration.getTime() })
    return {
      accessKeyId,
      secretAccessKey: this.#secretOf(accessKeyId),
      sessionToken: this.#seal(accessKeyId, sealed),
      expiration,
    }
  }

  /** The session of a key and its token. Throws InvalidToken when they do not belong together. */
  open(accessKeyId: string, sessionToken: string): Session {
    const known = this.#opened.get(sessionToken)
    if (known?.accessKeyId === accessKeyId) return known
    const { roleArn, policy, expires } = JSON.parse(this.#unseal(accessKeyId, sessionToken))
    const session: Session = {
      accessKeyId,
      secretAccessKey: this.#secretOf(accessKeyId),
      roleArn,
      narrowed: policy === undefined ? undefined : parsePolicy(JSON.parse(policy)),
      expiration: new Date(expires),
    }
    if (this.#opened.size >= 1000) this.#opened.clear()
    this.#opened.set(sessionToken, session)
    return session
  }

  /** A session may do what its role's policy *and* its own allow; the account's own key, everything. */
  isAllowed(principal: Principal, access: AccessRequest): boolean {
    if (principal.roleArn === undefined) return true
    const { roleArn, narrowed } = principal
    const policies = [this.#roles.get(roleArn) ?? [], ...(narrowed === undefined ? [] : [narrowed])]
    return policies.every(policy => isAllowedBy(policy, access))
  }

  #secretOf(accessKeyId: string): string {
    return createHmac('sha256', this.#key).update(accessKeyId).digest('base64')
  }

  #seal(accessKeyId: string, text: string): string {
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce).setAAD(Buffer.from(accessKeyId))
    const sealed = Buffer.concat([cipher.update(text), cipher.final()])
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')
  }

  #unseal(accessKeyId: string, token: string): string {
    const bytes = Buffer.from(token, 'base64')
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, 12), {
        authTagLength: 16,
      })
      decipher.setAAD(Buffer.from(accessKeyId)).setAuthTag(bytes.subarray(12, 28))
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString()
    } catch {
      throw new S3Error('InvalidToken')
    }
  }
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** A byte gives one of 32 digits without preferring any. */
const base32 = (bytes: Buffer): string => [...bytes].map(byte => alphabet.charAt(byte % 32)).join('')
