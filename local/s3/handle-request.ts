import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isOutOfSpace } from '../../functions/lib/errors/out-of-space.ts'
import type { ConnectionLimits } from '../http/limited-server.ts'
import { type FindPrincipal, identify } from './auth/authenticate.ts'
import { readSignature } from './auth/read-signature.ts'
import { S3Error } from './errors.ts'
import { checkHeaders } from './http/accepted-headers.ts'
import { readPageRequest } from './http/cors.ts'
import { errorReply, type Reply, sendReply } from './http/reply.ts'
import { type HttpRequest, identified, readHttpRequest, type S3Request } from './http/s3-request.ts'
import type { Operation, S3Context } from './operation.ts'
import { isPostForm, openForm } from './post-form/open-form.ts'
import { findOperation } from './router.ts'

export interface RequestContext extends S3Context {
  findPrincipal: FindPrincipal
  limits: ConnectionLimits
}

/** Answers one HTTP request. Never rejects: an error becomes an answer, or ends the connection. */
export const handleRequest = async (
  message: IncomingMessage,
  response: ServerResponse,
  context: RequestContext,
  isWaitingForContinue: boolean,
): Promise<void> => {
  const id = randomBytes(8).toString('hex').toUpperCase()
  let isBodyOpen = false
  const rawBody = (): AsyncIterable<Buffer> => {
    if (isBodyOpen) throw new Error('The body has been read already')
    isBodyOpen = true
    if (isWaitingForContinue) response.writeContinue()
    return readPieces(message)
  }
  const unidentified = setTimeout(() => message.socket.destroy(), context.limits.unidentifiedMs).unref()
  const onIdentified = () => clearTimeout(unidentified)
  message.once('close', onIdentified)
  /** Headers of the reply, whatever it is. */
  const common: Record<string, string | undefined> = {
    'x-amz-request-id': id,
    'x-amz-id-2': id,
    server: 'Millrace',
  }
  const answerOne = async (): Promise<Reply> => {
    const request = readHttpRequest(message, { id, rawBody })
    const page = readPageRequest(request, context.settingsOf(request.bucket))
    // Errors as well, so that a page can read why.
    Object.assign(common, page?.shared)
    if (page?.isPreflight !== true) return answer(request, context, onIdentified)
    onIdentified() // a browser asks without a signature
    if (page.shared === undefined) throw new S3Error('AccessForbidden')
    return { status: 200 }
  }
  const reply = await answerOne().catch(error => {
    const refusal = toS3Error(error)
    if (refusal.code === 'InternalError' && !message.destroyed) report(error)
    return errorReply(refusal, message.url?.split('?', 1)[0] ?? '', id)
  })
  // Discard the rest of a half-read body: the client reads the answer only after it has sent everything.
  if (isBodyOpen && !message.readableEnded) message.resume()
  // Without "100 Continue" a client may or may not send its body; only a new connection is safe.
  if (isWaitingForContinue && !isBodyOpen) common['connection'] = 'close'
  try {
    await sendReply(response, reply, common, message.method === 'HEAD')
  } catch (error) {
    // The client is gone, or the reply broke off: closing the connection shows it.
    if (!message.socket.destroyed) report(error)
    response.destroy()
  }
}

/** Reads the body without closing the connection when reading stops early: the client still needs an answer. */
async function* readPieces(message: IncomingMessage): AsyncIterable<Buffer> {
  try {
    yield* message.iterator({ destroyOnReturn: false })
  } catch (error) {
    // The connection broke during the body; nobody will read the answer.
    if (message.errored !== null) throw new S3Error('IncompleteBody')
    throw error
  }
}

const answer = async (
  request: HttpRequest,
  context: RequestContext,
  onIdentified: () => void,
): Promise<Reply> => {
  const { findPrincipal } = context
  if (isPostForm(request)) {
    const opened = await openForm(request, findPrincipal)
    onIdentified()
    return runOperation(() => opened.operation, opened.request, context).finally(opened.discard)
  }
  const s3Request = identified(request, identify(readSignature(request), findPrincipal))
  onIdentified()
  return runOperation(() => findOperation(s3Request), s3Request, context)
}

const runOperation = async (
  find: () => Operation,
  request: S3Request,
  context: RequestContext,
): Promise<Reply> => {
  checkHeaders(request.headers)
  const operation = find()
  if (!operation.access(request).every(access => context.isAllowed(request.caller.principal, access)))
    throw new S3Error('AccessDenied')
  if (operation.needsNoBucket !== true) context.store.buckets.get(request.bucket)
  return operation.run(request, context)
}

const report = (error: unknown): void => console.error('embedded S3:', error)

const toS3Error = (error: unknown): S3Error => {
  if (error instanceof S3Error) return error
  return new S3Error(isOutOfSpace(error) ? 'InsufficientStorage' : 'InternalError')
}
