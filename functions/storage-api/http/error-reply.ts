import { asTransient } from '../../lib/errors/as-transient.ts'
import type { ErrorCode, ForeignCode } from '../../lib/errors/codes.ts'
import { TransientError, UserError } from '../../lib/errors/errors.ts'
import { createExceptionId } from '../../lib/storage/jobs/job-store.ts'

/** The service's own log. Never gets bodies, headers or tokens. */
export interface Log {
  info(message: string, extra: Record<string, unknown>): void
  error(message: string, extra: Record<string, unknown>): void
}

/** A reply to it has no code: clients of the documented API know it by its text (docs/reference/storage-api.md#errors). */
const UNSENT_CODE: ErrorCode = 'storage.tokenMissing'

const DEFAULT_RETRY_AFTER_SECONDS = 2

/**
 * Turns whatever a route threw into the error reply of the service. Nothing else maps errors to statuses.
 *
 * A `UserError` keeps its status. A `TransientError` (or a temporary fault of AWS) is a 503 with `Retry-After`.
 * Anything else is a 500 with nothing but an id, under which the error is logged.
 */
export const errorReply = (error: unknown, log: Log): Response => {
  const exceptionId = createExceptionId()
  if (error instanceof UserError) {
    const { code, message, params, status } = error
    log.info('request refused', { exceptionId, code, status })
    return reply(status, { message, code, exceptionId, params })
  }
  const transient = asTransient(error)
  if (transient instanceof TransientError) {
    const { code, message, params, retryAfterSeconds = DEFAULT_RETRY_AFTER_SECONDS } = transient
    log.error('request failed for now', { exceptionId, error: transient })
    return reply(
      503,
      { message, code, exceptionId, params },
      { 'retry-after': String(Math.ceil(retryAfterSeconds)) },
    )
  }
  log.error('request failed', { exceptionId, error })
  const message = `Internal error. Quote ${exceptionId} when you report it.`
  return reply(500, { message, code: 'internalError', exceptionId, params: {} })
}

interface ErrorFacts {
  message: string
  code: ErrorCode | ForeignCode
  exceptionId: string
  params: Record<string, unknown>
}

const reply = (
  status: number,
  { message, code, exceptionId, params }: ErrorFacts,
  headers: Record<string, string> = {},
): Response => {
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
