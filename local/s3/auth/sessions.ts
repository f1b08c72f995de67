import { randomBytes } from 'node:crypto'
import { isOutOfSpace } from '#lib/errors/out-of-space.ts'
import type { Database } from '../../durable/database.ts'
import type { Session } from './caller.ts'

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
  readonly #cache = new Map<string, Session>()
  /** Issued while the disk was full. */
  readonly #unsaved = new Map<string, Session>()

  constructor(database: Database) {
    this.#database = database
    database.run('DELETE FROM sessions WHERE expires < ?', Date.now() - rememberExpiredMs)
  }

  async issue(asked: Pick<Session, 'roleArn' | 'sessionName' | 'policy' | 'expiration'>): Promise<Session> {
    const issued: Session = {
      // As AWS writes them: some clients recognise temporary keys by their prefix.
      accessKeyId: `ASIA${base32(randomBytes(16))}`,
      secretAccessKey: randomBytes(30).toString('base64'),
      sessionToken: randomBytes(120).toString('base64'),
      ...asked,
    }
    try {
      await this.#database.transaction(() => this.#database.insert('sessions', toRow(issued)))
    } catch (error) {
      if (!isOutOfSpace(error)) throw error
      // Who only reads needs credentials too, and a full disk is no reason to stop reading. These end with the process.
      this.#unsaved.set(issued.accessKeyId, issued)
    }
    return issued
  }

  find(accessKeyId: string): Session | undefined {
    const cached = this.#cache.get(accessKeyId) ?? this.#unsaved.get(accessKeyId)
    if (cached !== undefined) return cached
    const row = this.#database.get<SessionRow>('SELECT * FROM sessions WHERE access_key_id = ?', accessKeyId)
    if (row === undefined) return undefined
    const session: Session = {
      accessKeyId,
      secretAccessKey: row.secret_access_key,
      sessionToken: row.session_token,
      roleArn: row.role_arn,
      sessionName: row.session_name,
      policy: row.policy === null ? undefined : JSON.parse(row.policy),
      expiration: new Date(row.expires),
    }
    if (this.#cache.size >= 1000) this.#cache.clear()
    this.#cache.set(accessKeyId, session)
    return session
  }
}

const toRow = (session: Session): SessionRow => ({
  access_key_id: session.accessKeyId,
  secret_access_key: session.secretAccessKey,
  session_token: session.sessionToken,
  role_arn: session.roleArn,
  session_name: session.sessionName,
  policy: session.policy === undefined ? null : JSON.stringify(session.policy),
  expires: session.expiration.getTime(),
})

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** A byte gives one of 32 digits without preferring any. */
const base32 = (bytes: Buffer): string => [...bytes].map(byte => alphabet.charAt(byte % 32)).join('')
