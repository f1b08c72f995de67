import { readWhole } from '#lib/read-whole.ts'
import type { Quotas } from '../../http/quotas.ts'
import { authenticate } from '../auth/authenticate.ts'
import type { Principal } from '../auth/caller.ts'
import type { AccessRequest } from '../auth/policy.ts'
import { sha256 } from '../auth/signature.ts'
import { S3Error } from '../errors.ts'
import { localAccountId } from '../events/object-created.ts'
import type { Reply } from '../http/reply.ts'
import type { HttpRequest } from '../http/s3-request.ts'
import { buildXml, type XmlNode } from '../xml/build-xml.ts'
import { type AssumeRoleContext, assumeRole, mayNotAssume, readAssumeRole } from './assume-role.ts'
import { StsError, toStsError } from './sts-error.ts'

export interface StsContext extends AssumeRoleContext {
  quotas: Quotas
  region: string
  findPrincipal: (accessKeyId: string) => Principal | undefined
  isAllowed: (principal: Principal, access: AccessRequest) => boolean
}

// Far more than a role's ARN, a session name and a policy of 2,048 characters.
const maxBodyBytes = 64 * 1024
const namespace = 'https://sts.amazonaws.com/doc/2011-06-15/'

/** STS shares the endpoint: it has only POST on the root, and S3 has none there. */
export const isForSts = ({ method, bucket, headers }: HttpRequest): boolean =>
  method === 'POST' &&
  bucket === '' &&
  (headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded')

/** Answers `AssumeRole` and `GetCallerIdentity` (AWS Security Token Service API Reference). */
export const handleSts = async (request: HttpRequest, context: StsContext): Promise<Reply> => {
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
  request: HttpRequest,
  context: StsContext,
): Promise<{ action: string; result: XmlNode }> => {
  const { region, findPrincipal, quotas } = context
  const body = await readWhole(request.rawBody(), maxBodyBytes, () => new S3Error('EntityTooLarge'))
  const expected = { region, service: 'sts', now: new Date(), payloadHash: sha256(body) }
  const { principal } = authenticate(request, { ...expected, findPrincipal })
  const form = new URLSearchParams(body.toString())
  const action = form.get('Action') ?? ''
  if (action === 'GetCallerIdentity') return { action, result: describeIdentity(principal) }
  if (action !== 'AssumeRole')
    throw new StsError('InvalidAction', `Could not find operation ${action} for version 2011-06-15`)

  const asked = readAssumeRole(form)
  const { roleArn } = asked
  if (!context.isAllowed(principal, { action: 'sts:AssumeRole', resource: roleArn, context: {} }))
    throw mayNotAssume(roleArn)
  if (!quotas.admits('sts:AssumeRole')) throw new StsError('Throttling', 'Rate exceeded')
  const session = await assumeRole({ ...asked, isChained: principal.roleArn !== undefined }, context)
  const { Arn, UserId } = describeIdentity(session)
  return {
    action,
    result: {
      Credentials: {
        AccessKeyId: session.accessKeyId,
        SecretAccessKey: session.secretAccessKey,
        SessionToken: session.sessionToken,
        Expiration: session.expiration.toISOString(),
      },
      AssumedRoleUser: { AssumedRoleId: UserId, Arn },
    },
  }
}

/** `arn:aws:iam::1:role/path/Name` and a session name give `arn:aws:sts::1:assumed-role/Name/session`. */
const describeIdentity = (principal: Principal): XmlNode => {
  const Account = localAccountId
  if (principal.roleArn === undefined)
    return { Arn: `arn:aws:iam::${Account}:root`, UserId: Account, Account }
  const { roleArn, sessionName } = principal
  const role = `${roleArn.split('/').at(-1)}/${sessionName}`
  return {
    Arn: `arn:aws:sts::${roleArn.split(':')[4] ?? ''}:assumed-role/${role}`,
    UserId: `AROA${sha256(roleArn).slice(0, 17).toUpperCase()}:${sessionName}`,
    Account,
  }
}

const xml = (status: number, root: string, content: XmlNode): Reply => ({
  status,
  headers: { 'content-type': 'text/xml' },
  body: buildXml(root, content, namespace),
})
