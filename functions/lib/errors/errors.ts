import type { ForeignCode, TransientCode, UserCode } from './codes.ts'
import { statusOf } from './statuses.ts'

/** What every error of ours can carry besides its message. */
interface ErrorOptionsWithParams extends ErrorOptions {
  /** Extra facts for the caller, such as the missing columns. Never secrets: they are sent and logged. */
  params?: Record<string, unknown>
}

/**
 * The request, the file or the configuration is wrong; the message is written for its author.
 *
 * `code` is stable and catalogued (docs/errors.md), and with it `status`, which the storage API answers with. The option
 * `status` is for codes of other services, and for an error that is worded anew. Step Functions fails at once on a
 * `UserError`: the same input would fail again.
 */
export class UserError extends Error {
  override readonly name = 'UserError' // Step Functions matches this string; a bundler may rename the class, not it
  readonly code: UserCode | ForeignCode
  readonly status: number
  readonly params: Record<string, unknown>

  constructor(
    code: UserCode | ForeignCode,
    message: string,
    options: ErrorOptionsWithParams & { status?: number } = {},
  ) {
    super(message, options)
    this.code = code
    this.status = options.status ?? statusOf(code)
    this.params = options.params ?? {}
  }
}

/**
 * The same call may work later: a timeout, a 429 or 5xx reply, a reset connection.
 *
 * Step Functions retries it with backoff; the storage API answers 503, with `Retry-After` when `retryAfterSeconds` is set.
 */
export class TransientError extends Error {
  override readonly name = 'TransientError'
  readonly code: TransientCode | ForeignCode
  readonly retryAfterSeconds: number | undefined
  readonly params: Record<string, unknown>

  constructor(
    code: TransientCode | ForeignCode,
    message: string,
    options: ErrorOptionsWithParams & { retryAfterSeconds?: number | undefined } = {},
  ) {
    super(message, options)
    this.code = code
    this.retryAfterSeconds = options.retryAfterSeconds
    this.params = options.params ?? {}
  }
}
