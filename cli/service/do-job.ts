import { plural } from '../../functions/lib/plural.ts'
import { rowsOfDeletion, rowsOfJob, tableOfJob } from '../../functions/lib/wire/job-results.ts'
import { followJob } from '../connect/follow-job.ts'
import type { ServiceCall } from '../connect/service-command.ts'
import { job, lookAtJob, type ShownJob, sayFailed } from './jobs.ts'

type Method = 'POST' | 'PUT' | 'DELETE'
type JobCall = Pick<ServiceCall, 'api' | 'out' | 'shell'>

/** Asks for a job, and resolves when it has ended. */
export const endOfJob = async (
  { api, shell }: JobCall,
  method: Method,
  path: string,
  body?: object,
): Promise<ShownJob> => {
  const started = await api.send(method, path, job, body)
  return followJob(started, lookAtJob(api), { what: `Job ${started.id}`, shell })
}

/** The same, and says what became of it. Resolves to the exit code. */
export const doJob = async (call: JobCall, ...asked: [Method, string, object?]): Promise<number> =>
  sayEnd(await endOfJob(call, ...asked), call)

/** Says what became of a job. Resolves to the exit code. */
export const sayEnd = (ended: ShownJob, { out }: Pick<JobCall, 'out'>): number => {
  const deleted = rowsOfDeletion(ended)
  const rows = rowsOfJob(ended)
  const facts = [
    ...(rows === undefined ? [] : [`${tableOfJob(ended)} has ${plural(rows, 'row')}`]),
    ...(deleted === undefined ? [] : [`${plural(deleted, 'row')} deleted`]),
  ]
  out.show(ended, () =>
    ended.status === 'error'
      ? sayFailed(ended, out)
      : out.line([`job ${ended.id}: done`, ...facts].join(', '), 'green'),
  )
  return ended.status === 'success' ? 0 : 1
}
