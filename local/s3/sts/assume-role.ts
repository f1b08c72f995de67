import { z } from 'zod'
import type { Roles } from '../auth/authorizer.ts'
import type { Session } from '../auth/caller.ts'
import { MalformedPolicyError, type PolicyDocument, parsePolicy } from '../auth/policy-document.ts'
import type { Sessions } from '../auth/sessions.ts'
import { StsError } from './sts-error.ts'

export interface AssumeRoleContext {
  sessions: Sessions
  roles: Roles
}

export interface AssumeRoleRequest {
  roleArn: string
  /** 2 to 64 characters of letters, digits and `+=,.@_-`. */
  sessionName: string
  /** 900 to 43,200, default 3,600; for a chained session at most 3,600. */
  durationSeconds?: number | undefined
  /** Narrows what the role may do. */
  policy?: PolicyDocument | undefined
  /** Whether the caller is itself a session of a role. */
  isChained?: boolean
}

const leastSeconds = 900
const mostSeconds = 12 * 3600
// IAM User Guide, "Role chaining".
const mostChainedSeconds = 3600
const mostPolicyCharacters = 2048

/**
 * Issues temporary credentials of a role (STS API Reference, AssumeRole).
 *
 * Rejects with StsError: AccessDenied for a role that is not there (STS does not say which of the two it is),
 * ValidationError, MalformedPolicyDocument.
 */
export const assumeRole = async (
  request: AssumeRoleRequest,
  { sessions, roles }: AssumeRoleContext,
): Promise<Session> => {
  const { roleArn, sessionName, durationSeconds = 3600, policy, isChained = false } = request
  if (!/^[\w+=,.@-]{2,64}$/.test(sessionName))
    throw new StsError('ValidationError', `The roleSessionName '${sessionName}' must match [\\w+=,.@-]{2,64}`)
  const most = isChained ? mostChainedSeconds : mostSeconds
  if (!Number.isInteger(durationSeconds) || durationSeconds < leastSeconds || durationSeconds > most)
    throw new StsError('ValidationError', `The durationSeconds must be from ${leastSeconds} to ${most}`)
  const rolePolicy = roles.get(roleArn)
  if (rolePolicy === undefined) throw mayNotAssume(roleArn)
  checkPolicy(rolePolicy)
  if (policy !== undefined) checkPolicy(policy)
  const expiration = new Date(Date.now() + durationSeconds * 1000)
  return sessions.issue({ roleArn, sessionName, policy, expiration })
}

export const mayNotAssume = (roleArn: string): StsError =>
  new StsError(
    'AccessDenied',
    `The caller is not authorized to perform: sts:AssumeRole on resource: ${roleArn}`,
  )

const checkPolicy = (policy: PolicyDocument): void => {
  try {
    parsePolicy(policy)
  } catch (error) {
    if (error instanceof MalformedPolicyError) throw new StsError('MalformedPolicyDocument', error.message)
    throw error
  }
}

/** Strict: an unknown parameter could change the rights of the session. */
const Form = z.strictObject({
  Action: z.string(),
  Version: z.string().optional(),
  RoleArn: z.string().regex(/^arn:aws[\w-]*:iam::\d{12}:role\/[\w+=,.@/-]+$/),
  RoleSessionName: z.string(),
  DurationSeconds: z.coerce.number().int().optional(),
  Policy: z.string().max(mostPolicyCharacters).optional(),
})

/** Reads the form of an AssumeRole request. */
export const readAssumeRole = (form: URLSearchParams): AssumeRoleRequest => {
  const parsed = Form.safeParse(Object.fromEntries(form))
  if (!parsed.success) throw new StsError('ValidationError', z.prettifyError(parsed.error))
  const { RoleArn: roleArn, RoleSessionName: sessionName, DurationSeconds, Policy } = parsed.data
  const policy = Policy === undefined ? undefined : readPolicy(Policy)
  return { roleArn, sessionName, durationSeconds: DurationSeconds, policy }
}

const readPolicy = (text: string): PolicyDocument => {
  try {
    // Its shape is checked when the role is assumed.
    return z.looseObject({}).parse(JSON.parse(text)) as unknown as PolicyDocument
  } catch {
    throw new StsError('MalformedPolicyDocument', 'The policy is not a JSON object')
  }
}
