import { randomBytes } from 'node:crypto'
import { isOutOfSpace } from '#lib/errors/out-of-space.ts'
import type { Database } from '../storage/database.ts'
import type { Principal } from './caller.ts'
import type { PolicyDocument } from './policy-document.ts'

export type SessionPrincipal = Extract<Principal, { kind: 'session' }>

interface SessionRow {
  access_key_id: string
  secret_access_key: string
  session_token: string
  role_arn: string
  session_name: string
  policy: string | null
  expires: number
}

/** Expired sessions are kept this long, so that their owner reads ExpiredToken and not InvalidAccessKeyId. */
const rememberExpiredMs = 7 * 24 * 3600 * 1000

/** The temporary credentials issued so far, in the database: they survive a restart. */
export class Sessions {
  readonly #database: Database
  /** Every request looks up its caller; this cache asks the database once per key. */
  readonly #cache = new Map<string, SessionPrincipal>()
  /** Issued while the disk was full. */
  readonly #unsaved = new Map<string, SessionPrincipal>()

  constructor(database: Database) {
    this.#database = database
    database.run('DELETE FROM sessions WHERE expires < ?', Date.now() - rememberExpiredMs)
  }

  async issue(session: {
    roleArn: string
    sessionName: string
    policy: PolicyDocument | undefined
    expires: Date
  }): Promise<SessionPrincipal> {
    const issued: SessionPrincipal = {
      kind: 'session',
      // As AWS writes them: some clients recognise temporary keys by their prefix.
      accessKeyId: `ASIA${base32(randomBytes(10))}`,
      secretAccessKey: randomBytes(30).toString('base64'),
      sessionToken: randomBytes(120).toString('base64'),
      ...session,
    }
    try {
      await this.#database.transaction(() => this.#insert(issued))
    } catch (error) {
      if (!isOutOfSpace(error)) throw error
      // Who only reads needs credentials too, and a full disk is no reason to stop reading. These end with the process.
      this.#unsaved.set(issued.accessKeyId, issued)
    }
    return issued
  }

  find(accessKeyId: string): SessionPrincipal | undefined {
    const cached = this.#cache.get(accessKeyId) ?? this.#unsaved.get(accessKeyId)
    if (cached !== undefined) return cached
    const row = this.#database.get<SessionRow>('SELECT * FROM sessions WHERE access_key_id = ?', accessKeyId)
    if (row === undefined) return undefined
    const session: SessionPrincipal = {
      kind: 'session',
      accessKeyId: row.access_key_id,
      secretAccessKey: row.secret_access_key,
      sessionToken: row.session_token,
      roleArn: row.role_arn,
      sessionName: row.session_name,
      policy: row.policy === null ? undefined : JSON.parse(row.policy),
      expires: new Date(row.expires),
    }
    if (this.#cache.size >= 1000) this.#cache.clear()
    this.#cache.set(accessKeyId, session)
    return session
  }

  #insert(issued: SessionPrincipal): void {
    this.#database.run(
      'INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?)',
      issued.accessKeyId,
      issued.secretAccessKey,
      issued.sessionToken,
      issued.roleArn,
      issued.sessionName,
      issued.policy === undefined ? null : JSON.stringify(issued.policy),
      issued.expires.getTime(),
    )
  }
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

const base32 = (bytes: Buffer): string =>
  BigInt(`0x${bytes.toString('hex')}`)
    .toString(32)
    .padStart(16, '0')
    .replace(/./g, digit => alphabet.charAt(Number.parseInt(digit, 32)))
