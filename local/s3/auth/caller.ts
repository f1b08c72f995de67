import type { KeyObject } from 'node:crypto'
import type { PolicyDocument } from './policy-document.ts'
import type { SignatureScope } from './signature.ts'

/** A key that this process knows. A temporary one has a token and an end. */
export interface KnownKey {
  secretAccessKey: string
  sessionToken?: string
  expiration?: Date
}

/** A temporary key, issued for a role. */
export interface Session extends Required<KnownKey> {
  accessKeyId: string
  roleArn: string
  sessionName: string
  /** Narrows what the role may do. */
  policy: PolicyDocument | undefined
}

/** Whose key signed a request: a session's, or the account's own, which has no role. */
export type Principal = Session | (Pick<KnownKey, 'secretAccessKey'> & { roleArn?: undefined })

/** Whose key signed a request, and what a body of signed chunks continues; signatures of version 2 sign no chunks. */
export interface Caller<Key extends KnownKey> {
  principal: Key
  chunks: { key: KeyObject; scope: SignatureScope; signature: string } | undefined
}
