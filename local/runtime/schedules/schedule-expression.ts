import { UserError } from '#lib/errors/errors.ts'
import { type NextTime, readSchedule as readExpression } from '#lib/schedules/schedule-expression.ts'
import { unsupported } from '../template/unsupported.ts'

/** Reads the expression of a schedule of the template, or refuses it with its place. */
export const readSchedule = (expression: string, timezone: string, where: string): NextTime => {
  try {
    return readExpression(expression, timezone)
  } catch (error) {
    throw error instanceof UserError ? unsupported(where, error.message) : error
  }
}
