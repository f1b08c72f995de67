/** A temporary key of a role. */
export interface RoleKey {
  accessKeyId: string
  secretAccessKey: string
  sessionToken: string
  expiration: Date
}

interface AskedKey {
  roleArn: string
  /** Who uses it, for the log of the account. */
  sessionName: string
  /** Narrows what the role allows: an IAM policy in JSON. */
  policy: string
}

/** A key of a role for an hour; `undefined` where the policy is too large. */
export type AssumeRole = (asked: AskedKey) => Promise<RoleKey | undefined>
