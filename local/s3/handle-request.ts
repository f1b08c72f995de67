import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isOutOfSpace } from '../../functions/lib/errors/out-of-space.ts'
import type { ConnectionLimits } from '../http/limited-server.ts'
import { requestOrigin } from '../http/request-origin.ts'
import { type AuthenticationOptions, authenticate } from './auth/authenticate.ts'
import type { Principal } from './auth/caller.ts'
import { invalidArgument, S3Error } from './errors.ts'
import { localAccountId } from './events/object-created.ts'
import { checkHeaders } from './http/accepted-headers.ts'
import { type CorsRule, corsHeaders, corsRequestOf } from './http/cors.ts'
import { errorReply, type Reply, sendReply } from './http/reply.ts'
import {
  type BodyForm,
  openBody,
  parseRequestTarget,
  type RequestTarget,
  readHeaders,
  readHoistedHeaders,
  type S3Request,
} from './http/s3-request.ts'
import type { Operation, S3Context } from './operation.ts'
import { isPostForm, openForm } from './post-form/open-form.ts'
import { postObject } from './post-form/post-object.ts'
import { findOperation } from './router.ts'
import { handleSts, isForSts, type StsContext } from './sts/handle-sts.ts'

export interface RequestContext extends S3Context, StsContext {
  findPrincipal: (accessKeyId: string) => Principal | undefined
  limits: ConnectionLimits
  /** Which pages of other origins a bucket answers. */
  corsRulesOf: (bucket: string) => readonly CorsRule[]
  /** Called with internal errors. */
  onError: (error: unknown) => void
}

/** Answers one HTTP request. Never rejects: an error becomes an answer, or ends the connection. */
export const handleRequest = async (
  message: IncomingMessage,
  response: ServerResponse,
  context: RequestContext,
  isWaitingForContinue: boolean,
): Promise<void> => {
  const id = randomBytes(8).toString('hex').toUpperCase()
  const method = message.method ?? ''
  const body = openBody(message, response, isWaitingForContinue)
  const unidentified = setTimeout(() => message.socket.destroy(), context.limits.unidentifiedMs).unref()
  message.once('close', () => clearTimeout(unidentified))
  const onIdentified = () => clearTimeout(unidentified)
  const common: Record<string, string> = { 'x-amz-request-id': id, 'x-amz-id-2': id, server: 'Millrace' }
  const reply = await answer(message, context, { id, method, body, onIdentified, common })
  // Discard the rest of a half-read body: the client reads the answer only after it has sent everything.
  if (body.isOpen && !message.readableEnded) message.resume()
  // Without "100 Continue" a client may or may not send its body; only a new connection is safe.
  if (isWaitingForContinue && !body.isOpen) common['connection'] = 'close'
  try {
    await sendReply(response, reply, common, method === 'HEAD')
  } catch (error) {
    // The client is gone, or the reply broke off: closing the connection shows it.
    if (!isDisconnect(error)) context.onError(error)
    response.destroy()
  }
}

const answer = async (
  message: IncomingMessage,
  context: RequestContext,
  {
    onIdentified,
    common,
    ...parts
  }: {
    id: string
    method: string
    body: ReturnType<typeof openBody>
    onIdentified: () => void
    /** Headers of the reply, whatever it is. */
    common: Record<string, string>
  },
): Promise<Reply> => {
  const { id, method, body } = parts
  const url = message.url ?? '/'
  try {
    const headers = readHeaders(message)
    const target = parseRequestTarget(url, headers['host'] ?? '')
    const page = corsRequestOf(method, headers)
    const shared = page && corsHeaders(context.corsRulesOf(target.bucket ?? ''), page)
    // Errors as well, so that a page can read why.
    Object.assign(common, shared)
    if (page?.isPreflight === true) {
      onIdentified() // a browser asks without a signature
      if (shared === undefined) throw new S3Error('AccessForbidden')
      return { status: 200 }
    }
    if (isForSts(method, target, headers))
      return await handleSts({ id, method, target, headers, body: body.read }, context)
    if (isPostForm(method, target, headers)) {
      const opened = await openForm(message, { id, method, target, headers, body }, authenticationBy(context))
      onIdentified()
      return await runOperation(() => postObject(opened.fields), opened.request, context).finally(
        opened.form.discard,
      )
    }
    const request = readRequest(message, context, { ...parts, target, headers })
    onIdentified()
    const { headers: described } = request
    return await runOperation(() => findOperation(method, target, described), request, context)
  } catch (error) {
    if (error instanceof S3Error) return errorReply(error, pathOf(url), id)
    if (isOutOfSpace(error)) return errorReply(new S3Error('InsufficientStorage'), pathOf(url), id)
    if (!message.destroyed) context.onError(error)
    return errorReply(new S3Error('InternalError'), pathOf(url), id)
  }
}

const authenticationBy = ({ region, findPrincipal }: RequestContext): AuthenticationOptions => ({
  region,
  service: 's3',
  now: new Date(),
  findPrincipal,
})

const readRequest = (
  message: IncomingMessage,
  context: RequestContext,
  parts: {
    id: string
    method: string
    target: RequestTarget
    headers: Record<string, string>
    body: ReturnType<typeof openBody>
  },
): S3Request => {
  const { method, target, headers } = parts
  const caller = authenticate({ method, target, headers }, authenticationBy(context))
  const isPresigned = headers['authorization'] === undefined
  const contentSha256 = headers['x-amz-content-sha256'] ?? target.query['X-Amz-Content-Sha256']?.[0]
  return {
    ...parts,
    // A header wins over the same header in the URL.
    headers: isPresigned ? { ...readHoistedHeaders(target.query), ...headers } : headers,
    caller,
    bodyForm: readBodyForm(contentSha256),
    rawBody: parts.body.read,
    sourceIp: message.socket.remoteAddress ?? '127.0.0.1',
    origin: requestOrigin(message),
  }
}

const runOperation = async (
  find: () => Operation,
  request: S3Request,
  context: RequestContext,
): Promise<Reply> => {
  checkHeaders(request.headers, localAccountId)
  const operation = find()
  if (!operation.access(request).every(access => context.isAllowed(request.caller.principal, access)))
    throw new S3Error('AccessDenied')
  return operation.run(request, context)
}

const pathOf = (url: string): string => url.split('?', 1)[0] ?? ''

const isDisconnect = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  ['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'EPIPE', 'ERR_STREAM_DESTROYED'].includes(String(error.code))

/** Reads from `x-amz-content-sha256` how the body arrives and what it must hash to. */
const readBodyForm = (contentSha256: string | undefined): BodyForm => {
  switch (contentSha256) {
    case undefined:
    case 'UNSIGNED-PAYLOAD':
      return {}
    case 'STREAMING-UNSIGNED-PAYLOAD-TRAILER':
      return { chunked: { hasTrailer: true, isSigned: false } }
    case 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD':
      return { chunked: { hasTrailer: false, isSigned: true } }
    case 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER':
      return { chunked: { hasTrailer: true, isSigned: true } }
    default:
      if (/^[0-9a-f]{64}$/i.test(contentSha256)) return { sha256: contentSha256.toLowerCase() }
      throw invalidArgument(
        'x-amz-content-sha256 must be UNSIGNED-PAYLOAD, a STREAMING- form that is supported, or a valid sha256 value.',
        'x-amz-content-sha256',
        contentSha256,
      )
  }
}
