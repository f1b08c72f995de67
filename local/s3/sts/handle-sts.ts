import { createHash } from 'node:crypto'
import type { Quotas } from '../../http/quotas.ts'
import { authenticate } from '../auth/authenticate.ts'
import type { Principal } from '../auth/caller.ts'
import type { AccessRequest } from '../auth/policy.ts'
import { S3Error } from '../errors.ts'
import { localAccountId } from '../events/object-created.ts'
import { readAll } from '../http/read-text.ts'
import type { Reply } from '../http/reply.ts'
import type { RequestTarget } from '../http/s3-request.ts'
import { buildXml, type XmlNode } from '../xml/build-xml.ts'
import { type AssumeRoleContext, assumeRole, readAssumeRole, StsError, toStsError } from './assume-role.ts'

export interface StsContext extends AssumeRoleContext {
  quotas: Quotas
  region: string
  findPrincipal: (accessKeyId: string) => Principal | undefined
  isAllowed: (principal: Principal, access: AccessRequest) => boolean
}

interface StsRequest {
  id: string
  method: string
  target: RequestTarget
  headers: Readonly<Record<string, string>>
  body: () => AsyncIterable<Buffer>
}

// Far more than a role's ARN, a session name and a policy of 2,048 characters.
const maxBodyBytes = 64 * 1024
const namespace = 'https://sts.amazonaws.com/doc/2011-06-15/'

/** STS shares the endpoint: it has only POST on the root, and S3 has none there. */
export const isForSts = (
  method: string,
  target: RequestTarget,
  headers: Readonly<Record<string, string>>,
): boolean =>
  method === 'POST' &&
  target.bucket === undefined &&
  (headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded')

/** Answers `AssumeRole` and `GetCallerIdentity` (AWS Security Token Service API Reference). */
export const handleSts = async (request: StsRequest, context: StsContext): Promise<Reply> => {
  try {
    const { action, result } = await run(request, context)
    return xml(200, `${action}Response`, {
      [`${action}Result`]: result,
      ResponseMetadata: { RequestId: request.id },
    })
  } catch (error) {
    const refusal = error instanceof S3Error ? toStsError(error) : error
    if (!(refusal instanceof StsError)) throw error
    return xml(refusal.status, 'ErrorResponse', {
      Error: { Type: 'Sender', Code: refusal.code, Message: refusal.message },
      RequestId: request.id,
    })
  }
}

const run = async (
  request: StsRequest,
  context: StsContext,
): Promise<{ action: string; result: XmlNode }> => {
  const body = await readAll(request.body(), undefined, maxBodyBytes)
  const { principal } = authenticate(request, {
    region: context.region,
    service: 'sts',
    now: new Date(),
    findPrincipal: context.findPrincipal,
    payloadHash: createHash('sha256').update(body).digest('hex'),
  })
  const form = new URLSearchParams(body.toString())
  const action = form.get('Action') ?? ''
  if (action === 'GetCallerIdentity') return { action, result: describeIdentity(principal) }
  if (action !== 'AssumeRole')
    throw new StsError('InvalidAction', `Could not find operation ${action} for version 2011-06-15`)

  const { roleArn, ...asked } = readAssumeRole(form)
  if (!context.isAllowed(principal, { action: 'sts:AssumeRole', resource: roleArn, context: {} }))
    throw new StsError(
      'AccessDenied',
      `The caller is not authorized to perform: sts:AssumeRole on resource: ${roleArn}`,
    )
  if (!context.quotas.admits('sts:AssumeRole')) throw new StsError('Throttling', 'Rate exceeded')
  const session = await assumeRole({ roleArn, ...asked, isChained: principal.kind === 'session' }, context)
  return {
    action,
    result: {
      Credentials: {
        AccessKeyId: session.accessKeyId,
        SecretAccessKey: session.secretAccessKey,
        SessionToken: session.sessionToken,
        Expiration: session.expires.toISOString(),
      },
      AssumedRoleUser: {
        AssumedRoleId: `${roleId(roleArn)}:${session.sessionName}`,
        Arn: assumedRoleArn(roleArn, session.sessionName),
      },
    },
  }
}

const describeIdentity = (principal: Principal): XmlNode =>
  principal.kind === 'root'
    ? { Arn: `arn:aws:iam::${localAccountId}:root`, UserId: localAccountId, Account: localAccountId }
    : {
        Arn: assumedRoleArn(principal.roleArn, principal.sessionName),
        UserId: `${roleId(principal.roleArn)}:${principal.sessionName}`,
        Account: localAccountId,
      }

/** `arn:aws:iam::1:role/path/Name` and a session name give `arn:aws:sts::1:assumed-role/Name/session`. */
const assumedRoleArn = (roleArn: string, sessionName: string): string =>
  `arn:aws:sts::${roleArn.split(':')[4] ?? ''}:assumed-role/${roleArn.split('/').at(-1)}/${sessionName}`

const roleId = (roleArn: string): string =>
  `AROA${createHash('sha256').update(roleArn).digest('hex').slice(0, 17).toUpperCase()}`

const xml = (status: number, root: string, content: XmlNode): Reply => ({
  status,
  headers: { 'content-type': 'text/xml' },
  body: buildXml(root, content, namespace),
})
