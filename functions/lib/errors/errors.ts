/** What every error of ours can carry besides its message. */
export interface ErrorOptionsWithParams extends ErrorOptions {
  /** Extra facts for the caller, such as the missing columns. Never secrets: they are sent and logged. */
  params?: Record<string, unknown>
}

/**
 * The request, the file or the configuration is wrong; the message is written for its author.
 *
 * `code` is stable and catalogued (`storage.tables.notFound`); `status` is the HTTP status that the storage API
 * answers with (default 400). Step Functions fails at once on it: the same input would fail again.
 */
export class UserError extends Error {
  override readonly name = 'UserError' // Step Functions matches this string; a bundler may rename the class, not it
  readonly code: string
  readonly status: number
  readonly params: Record<string, unknown>

  constructor(code: string, message: string, options: ErrorOptionsWithParams & { status?: number } = {}) {
    super(message, options)
    this.code = code
    this.status = options.status ?? 400
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
  readonly code: string
  readonly retryAfterSeconds: number | undefined
  readonly params: Record<string, unknown>

  constructor(
    code: string,
    message: string,
    options: ErrorOptionsWithParams & { retryAfterSeconds?: number | undefined } = {},
  ) {
    super(message, options)
    this.code = code
    this.retryAfterSeconds = options.retryAfterSeconds
    this.params = options.params ?? {}
  }
}
