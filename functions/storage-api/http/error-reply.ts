import type { ErrorCode } from '../../lib/errors/codes.ts'
import type { Log } from '../services/services.ts'
import { failureOf } from './failure.ts'

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
