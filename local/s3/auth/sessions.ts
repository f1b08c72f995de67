import { createHmac, randomBytes } from 'node:crypto'
import type { RoleKey } from '#lib/cloud/roles.ts'
import { S3Error } from '../errors.ts'
import type { Principal, Session } from './caller.ts'
import { type AccessRequest, isAllowedBy } from './policy.ts'
import { type PolicyDocument, parsePolicy, type Statement } from './policy-document.ts'
import { isSameSignature } from './signature.ts'

const sessionMs = 3600 * 1000

/**
 * Temporary keys of roles. Nothing is kept of them: the token says what they may do, signed with a key that follows from the
 * account's own. So they survive a restart, cost no write, and end when the account's key is replaced.
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

  /** @param asked `policy` narrows what the role allows: JSON. Throws for a role that is not there, and for a policy that cannot be enforced. */
  issue({ roleArn, policy }: { roleArn: string; policy?: string }, lastsMs = sessionMs): RoleKey {
    if (!this.#roles.has(roleArn)) throw new S3Error('AccessDenied', `There is no role ${roleArn}.`)
    if (policy !== undefined) parsePolicy(JSON.parse(policy))
    // As AWS writes them: some clients recognise temporary keys by their prefix.
    const accessKeyId = `ASIA${randomBytes(8).toString('hex').toUpperCase()}`
    const expiration = new Date(Date.now() + lastsMs)
    const said = JSON.stringify({ roleArn, policy, expires: expiration.getTime() })
    const body = Buffer.from(said).toString('base64url')
    return {
      accessKeyId,
      secretAccessKey: this.#sign('secret', accessKeyId),
      sessionToken: `${body}.${this.#sign('token', accessKeyId, body)}`,
      expiration,
    }
  }

  /** The session of a key and its token. Throws InvalidToken when they do not belong together. */
  open(accessKeyId: string, sessionToken: string): Session {
    const known = this.#opened.get(sessionToken)
    if (known?.accessKeyId === accessKeyId) return known
    const [body = '', signature = ''] = sessionToken.split('.')
    if (!isSameSignature(this.#sign('token', accessKeyId, body), signature)) throw new S3Error('InvalidToken')
    const { roleArn, policy, expires } = JSON.parse(Buffer.from(body, 'base64url').toString())
    const session: Session = {
      accessKeyId,
      secretAccessKey: this.#sign('secret', accessKeyId),
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

  #sign(...parts: readonly string[]): string {
    return createHmac('sha256', this.#key).update(parts.join('.')).digest('base64url')
  }
}
