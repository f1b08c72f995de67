import { z } from 'zod'
import type { Roles } from '../auth/authorizer.ts'
import { MalformedPolicyError, type PolicyDocument, parsePolicy } from '../auth/policy-document.ts'
import type { SessionPrincipal, Sessions } from '../auth/sessions.ts'
import type { S3Error } from '../errors.ts'

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

const statuses = {
  AccessDenied: 403,
  ExpiredToken: 403,
  IncompleteSignature: 400,
  InvalidAction: 400,
  InvalidClientTokenId: 403,
  MalformedPolicyDocument: 400,
  MissingAuthenticationToken: 403,
  ServiceUnavailable: 503,
  SignatureDoesNotMatch: 403,
  Throttling: 400,
  ValidationError: 400,
} as const

type StsErrorCode = keyof typeof statuses

/** An error of STS. */
export class StsError extends Error {
  override readonly name = 'StsError'
  readonly code: StsErrorCode
  readonly status: number

  constructor(code: StsErrorCode, message: string) {
    super(message)
    this.code = code
    this.status = statuses[code]
  }
}

/** The names of STS for the errors of S3's authentication. */
export const toStsError = (error: S3Error): StsError => {
  switch (error.code) {
    case 'AccessDenied':
      return new StsError('MissingAuthenticationToken', 'Request is missing Authentication Token')
    case 'ExpiredToken':
      return new StsError('ExpiredToken', 'The security token included in the request is expired')
    case 'InvalidAccessKeyId':
    case 'InvalidToken':
      return new StsError('InvalidClientTokenId', 'The security token included in the request is invalid.')
    case 'RequestTimeTooSkewed':
    case 'SignatureDoesNotMatch':
      return new StsError('SignatureDoesNotMatch', error.message)
    case 'AuthorizationHeaderMalformed':
    case 'AuthorizationQueryParametersError':
      return new StsError('IncompleteSignature', error.message)
    case 'ServiceUnavailable':
      return new StsError('ServiceUnavailable', error.message)
    default:
      return new StsError('ValidationError', error.message)
  }
}
