import * as z from 'zod/mini'
import { readJson } from '../json/read-json.ts'

/** What Step Functions says of a step that failed (Developer Guide, "Handling errors in workflows"). */
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

/** Lambda Developer Guide, "Error handling": the report of a function that failed. */
const functionReport = z.object({ errorMessage: z.string(), trace: z._default(z.array(z.string()), []) })

/** The failure of a step in our words. Without a code of ours, its code is the name of the error. */
export const describeFailure = ({ Error: name = 'Error', Cause: cause = '' }: MachineFailure): Failure => {
  const report = functionReport.safeParse(readJson(cause))
  if (!report.success) return { code: name, message: cause }
  const { errorMessage, trace } = report.data
  return { code: CODE_LINE.exec(trace.at(-1) ?? '')?.[1] ?? name, message: errorMessage }
}
