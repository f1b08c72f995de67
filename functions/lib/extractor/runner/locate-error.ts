import { UserError } from '../../errors/errors.ts'
import type { PageWork } from './job-run.ts'

/** A user's error with the job and the request that it came from in its params; others as they are. */
export const locateError = (error: unknown, { run: { plan }, request }: PageWork): unknown => {
  if (!(error instanceof UserError)) return error
  const { code, message, status, params, cause } = error
  const place = { job: plan.path, dataType: plan.dataType, request: `${request.method} ${request.endpoint}` }
  return new UserError(code, message, { status, params: { ...place, ...params }, cause })
}
