import type { KeyObject } from 'node:crypto'
import type { PolicyDocument } from './policy-document.ts'
import type { SignatureScope } from './signature.ts'

/** Whose key signed a request: the account's own, or one issued for a role. */
export type Principal =
  | { kind: 'root'; accessKeyId: string; secretAccessKey: string }
  | {
      kind: 'session'
      accessKeyId: string
      secretAccessKey: string
      sessionToken: string
      roleArn: string
      sessionName: string
      policy: PolicyDocument | undefined
      expires: Date
    }

/** An authenticated principal, and what its signature was made with: the first link of the chain of chunk signatures. */
export interface Caller {
  principal: Principal
  signature: string
  signingKey: KeyObject
  scope: SignatureScope
}
