import * as z from 'zod/mini'
import { readJson } from '../json/read-json.ts'

/** What Step Functions says of a step or an execution that failed (Developer Guide, "Handling errors in workflows"). */
export interface MachineFailure {
  Error?: string | undefined
  Cause?: string | undefined
}

export interface Failure {
  code: string
  message: string
}

/** Lambda reports an error's name, message and stack, and nothing else: the code travels as the last line of the stack. */
export const sendCodeInStack = (error: Error & { code: string }): void => {
  error.stack = `${error.stack ?? error.message}\n    code: ${error.code}`
}

const CODE_LINE = /^ {4}code: (\S+)$/

/** The cause of an execution that fails by its own word, as JSON. It reads like the report of a function that failed. */
export interface FailureReport {
  errorMessage: string
  /** What the dead letter says beside the failure. */
  details: unknown
}

/** Step Functions API Reference, "HistoryEvent": the longest cause, in characters. */
const LONGEST_CAUSE = 32_768

/** Details that leave no room are left out, and the report says so. */
export const reportOf = ({ message }: Failure, details: unknown = {}): FailureReport => {
  const report = { errorMessage: message, details }
  if (JSON.stringify(report).length <= LONGEST_CAUSE) return report
  // Each character takes six at most: \u0000.
  const errorMessage = message.slice(0, LONGEST_CAUSE / 8)
  return { errorMessage, details: { leftOut: `The details were longer than ${LONGEST_CAUSE} characters.` } }
}

/** Lambda Developer Guide, "Error handling": the report of a function that failed; or that of an execution. */
const anyReport = z.object({
  errorMessage: z.string(),
  trace: z._default(z.array(z.string()), []),
  details: z.optional(z.record(z.string(), z.unknown())),
})

/** The failure of a step or an execution in our words. Without a code of ours, its code is the name of the error. */
export const describeFailure = (failure: MachineFailure): Failure => {
  const { code, message } = readFailure(failure)
  return { code, message }
}

/** With the details of the report; `undefined` when there is no report with details. */
export const readFailure = ({
  Error: name = 'Error',
  Cause: cause = '',
}: MachineFailure): Failure & { details: Record<string, unknown> | undefined } => {
  const report = anyReport.safeParse(readJson(cause))
  if (!report.success) return { code: name, message: cause, details: undefined }
  const { errorMessage, trace, details } = report.data
  return { code: CODE_LINE.exec(trace.at(-1) ?? '')?.[1] ?? name, message: errorMessage, details }
}
