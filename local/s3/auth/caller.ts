import type { KeyObject } from 'node:crypto'
import type { Statement } from './policy-document.ts'
import type { SignatureScope } from './signature.ts'

export interface TemporaryKey {
  accessKeyId: string
  secretAccessKey: string
  sessionToken: string
  expiration: Date
}

/** A temporary key, issued for a role. */
export interface Session extends Omit<TemporaryKey, 'sessionToken'> {
  roleArn: string
  /** Narrow what the role may do. */
  narrowed: Statement[] | undefined
}

/** Whose key signed a request: a session's, or the account's own, which has no role. */
export type Principal = Session | { secretAccessKey: string; roleArn?: undefined }

/** Who sent a request, and what a body of signed chunks continues; signatures of version 2 sign no chunks. */
export interface Caller {
  principal: Principal
  chunks: { key: KeyObject; scope: SignatureScope; signature: string } | undefined
}
