import { foreignCode } from './codes.ts'
import { TransientError } from './errors.ts'
import { isOutOfSpace, OUT_OF_SPACE } from './out-of-space.ts'

/** The connection broke or was never made: another attempt may reach the other side. */
const NETWORK_CODES = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_SOCKET',
  'ERR_STREAM_PREMATURE_CLOSE',
])

/** How AWS says "slow down" or "once more" with a 4xx status. */
const RETRYABLE_NAMES = new Set([
  'Throttling', // STS
  'ThrottlingException',
  'ThrottledException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'TooManyRequestsException',
  'SlowDown',
  'RequestTimeout',
  'TimeoutError',
  'ConditionalRequestConflict', // S3: another conditional write is under way
])

/**
 * The same error as a `TransientError` when the call may work later, a full disk included; otherwise the error itself.
 *
 * The SDK has tried three times before. Step Functions retries with longer pauses, but only for names that it knows.
 */
export const asTransient = (error: unknown): unknown => {
  if (!(error instanceof Error) || error instanceof TransientError) return error
  if (isOutOfSpace(error))
    return new TransientError('storage.outOfSpace', OUT_OF_SPACE, { cause: error, retryAfterSeconds: 30 })
  return isTransient(error)
    ? new TransientError(
        foreignCode(`aws.${error.name}`),
        `A service did not answer as it should: ${error.name}`,
        {
          cause: error,
        },
      )
    : error
}

const isTransient = (error: Error & { code?: unknown; $metadata?: { httpStatusCode?: number } }): boolean => {
  const status = error.$metadata?.httpStatusCode
  return (
    RETRYABLE_NAMES.has(error.name) ||
    (typeof error.code === 'string' && NETWORK_CODES.has(error.code)) ||
    (status !== undefined && (status === 429 || status >= 500))
  )
}
