import type { FunctionError } from './protocol.ts'

/** What Lambda reports of an error that a handler threw: type, message, stack lines. */
export const toFunctionError = (thrown: unknown): FunctionError => {
  if (!(thrown instanceof Error)) {
    const message = typeof thrown === 'string' ? thrown : (JSON.stringify(thrown) ?? String(thrown))
    return { errorType: typeof thrown, errorMessage: message, trace: [] }
  }
  return {
    errorType: thrown.name || 'Error',
    errorMessage: thrown.message,
    trace: (thrown.stack ?? '').split('\n'),
  }
}

/** An invocation that failed. `name` is the error type, which Step Functions matches; `details` is Lambda's report. */
export class InvocationError extends Error {
  override readonly name: string
  readonly details: FunctionError

  constructor(details: FunctionError) {
    super(details.errorMessage)
    this.name = details.errorType
    this.details = details
  }
}

export const invocationError = (errorType: string, errorMessage: string) =>
  new InvocationError({ errorType, errorMessage, trace: [] })
