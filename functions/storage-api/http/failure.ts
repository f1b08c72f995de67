import { asTransient } from '../../lib/errors/as-transient.ts'
import type { ErrorCode, ForeignCode } from '../../lib/errors/codes.ts'
import { TransientError, UserError } from '../../lib/errors/errors.ts'
import { createExceptionId } from '../../lib/errors/exception-id.ts'
import type { Log } from '../services/services.ts'

/** What a reply says of an error, whatever the form of the reply. */
interface Failure {
  status: number
  message: string
  code: ErrorCode | ForeignCode
  exceptionId: string
  params: Record<string, unknown>
  /** `Retry-After` when the request may work later. */
  headers: Record<string, string>
}

const DEFAULT_RETRY_AFTER_SECONDS = 2

/**
 * Reads whatever a route threw, and logs it. Nothing else maps errors to statuses.
 *
 * A `UserError` keeps its status. A `TransientError` (or a temporary fault of AWS) is a 503 with `Retry-After`.
 * Anything else is a 500 with nothing but an id, under which the error is logged.
 */
export const failureOf = (error: unknown, log: Log): Failure => {
  const exceptionId = createExceptionId()
  if (error instanceof UserError) {
    const { code, message, params, status } = error
    log.info('request refused', { exceptionId, code, status })
    return { status, message, code, exceptionId, params, headers: {} }
  }
  const transient = asTransient(error)
  if (transient instanceof TransientError) {
    const { code, message, params, retryAfterSeconds = DEFAULT_RETRY_AFTER_SECONDS } = transient
    log.error('request failed for now', { exceptionId, error: transient })
    const headers = { 'retry-after': String(Math.ceil(retryAfterSeconds)) }
    return { status: 503, message, code, exceptionId, params, headers }
  }
  log.error('request failed', { exceptionId, error })
  const message = `Internal error. Quote ${exceptionId} when you report it.`
  return { status: 500, message, code: 'internalError', exceptionId, params: {}, headers: {} }
}

/** A reply to it has no code: clients of the documented API know it by its text (docs/reference/storage-api.md#errors). */
const UNSENT_CODE: ErrorCode = 'storage.tokenMissing'

/** Turns whatever a route threw into the error reply of the service. */
export const errorReply = (error: unknown, log: Log): Response => {
  const { status, message, code, exceptionId, params, headers } = failureOf(error, log)
  const body = {
    error: message,
    ...(code !== UNSENT_CODE && { code }),
    exceptionId,
    status: 'error',
    contextParams: params,
    ...(Array.isArray(params['errors']) && { errors: params['errors'] }),
  }
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  })
}
