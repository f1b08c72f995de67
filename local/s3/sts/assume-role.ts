import { z } from 'zod'
import type { Roles } from '../auth/authorizer.ts'
import { MalformedPolicyError, type PolicyDocument, parsePolicy } from '../auth/policy-document.ts'
import type { SessionPrincipal, Sessions } from '../auth/sessions.ts'
import { StsError } from './sts-error.ts'

export interface AssumeRoleContext {
  sessions: Sessions
  roles: Roles
}

interface AssumeRoleRequest {
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
): Promise<SessionPrincipal> => {
  const { roleArn, sessionName, durationSeconds = 3600, policy, isChained = false } = request
  if (!/^[\w+=,.@-]{2,64}$/.test(sessionName))
    throw new StsError('ValidationError', `The roleSessionName '${sessionName}' must match [\\w+=,.@-]{2,64}`)
  if (!Number.isInteger(durationSeconds) || durationSeconds < leastSeconds || durationSeconds > mostSeconds)
    throw new StsError(
      'ValidationError',
      `The durationSeconds must be from ${leastSeconds} to ${mostSeconds}`,
    )
  // IAM User Guide, "Role chaining".
  if (isChained && durationSeconds > mostChainedSeconds)
    throw new StsError(
      'ValidationError',
      'The requested DurationSeconds exceeds the 1 hour session limit for roles assumed by role chaining',
    )
  const rolePolicy = roles.get(roleArn)
  if (rolePolicy === undefined)
    throw new StsError(
      'AccessDenied',
      `The caller is not authorized to perform: sts:AssumeRole on resource: ${roleArn}`,
    )
  checkPolicy(rolePolicy)
  if (policy !== undefined) checkPolicy(policy)
  return sessions.issue({
    roleArn,
    sessionName,
    policy,
    expires: new Date(Date.now() + durationSeconds * 1000),
  })
}

const checkPolicy = (policy: PolicyDocument): void => {
  try {
    parsePolicy(policy)
  } catch (error) {
    if (error instanceof MalformedPolicyError) throw new StsError('MalformedPolicyDocument', error.message)
    throw error
  }
}

const Form = z.object({
  RoleArn: z.string().regex(/^arn:aws[\w-]*:iam::\d{12}:role\/[\w+=,.@/-]+$/),
  RoleSessionName: z.string(),
  DurationSeconds: z.coerce.number().int().optional(),
  Policy: z.string().optional(),
})

/** Parameters that would change the rights of the session. They are refused by name. */
const knownFields = new Set(['Action', 'Version', 'RoleArn', 'RoleSessionName', 'DurationSeconds', 'Policy'])

/** Reads the form of an AssumeRole request. */
export const readAssumeRole = (form: URLSearchParams): AssumeRoleRequest => {
  const unknown = [...form.keys()].find(name => !knownFields.has(name))
  if (unknown !== undefined)
    throw new StsError('ValidationError', `The parameter ${unknown} is not supported`)
  const parsed = Form.safeParse(Object.fromEntries(form))
  if (!parsed.success) throw new StsError('ValidationError', z.prettifyError(parsed.error))
  const { RoleArn, RoleSessionName, DurationSeconds, Policy } = parsed.data
  return {
    roleArn: RoleArn,
    sessionName: RoleSessionName,
    durationSeconds: DurationSeconds,
    policy: Policy === undefined ? undefined : readPolicy(Policy),
  }
}

const readPolicy = (text: string): PolicyDocument => {
  if (text.length > mostPolicyCharacters)
    throw new StsError('ValidationError', `The policy is longer than ${mostPolicyCharacters} characters`)
  let policy: unknown
  try {
    policy = JSON.parse(text)
  } catch {
    throw new StsError('MalformedPolicyDocument', 'The policy is not valid JSON')
  }
  if (!isPolicy(policy)) throw new StsError('MalformedPolicyDocument', 'The policy is not a JSON object')
  return policy
}

// The rest of its shape is checked when the role is assumed.
const isPolicy = (value: unknown): value is PolicyDocument => typeof value === 'object' && value !== null
