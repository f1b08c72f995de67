import type { RoleKey } from '#lib/cloud/roles.ts'
import type { Statement } from './policy-document.ts'

/** A temporary key, issued for a role. */
export interface Session extends Omit<RoleKey, 'sessionToken'> {
  roleArn: string
  /** Narrow what the role may do. */
  narrowed: Statement[] | undefined
}

/** Whose key signed a request: a session's, or the account's own, which has no role. */
export type Principal = Session | { secretAccessKey: string; roleArn?: undefined }

/** Who sent a request, and what a body of signed chunks continues. */
export interface Caller {
  principal: Principal
  signature: string
  /** Of signatures of version 4, which alone sign chunks. */
  longDate: string | undefined
}
