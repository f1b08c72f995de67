import { plural } from '../../functions/lib/plural.ts'
import { rowsOfDeletion, rowsOfJob, tableOfJob } from '../../functions/lib/wire/job-results.ts'
import { followJob } from '../connect/follow-job.ts'
import { job, lookAtJob } from './job-line.ts'
import type { ServiceCall } from './on-service.ts'

/** Asks for a job and waits for its end. Resolves to the exit code. */
export const doJob = async (
  { api, out, shell }: Pick<ServiceCall, 'api' | 'out' | 'shell'>,
  method: 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: object,
): Promise<number> => {
  const started = await api.send(method, path, job, body)
  const ended = await followJob(started, lookAtJob(api), { what: `Job ${started.id}`, shell })
  const deleted = rowsOfDeletion(ended)
  const rows = rowsOfJob(ended)
  const facts = [
    ...(rows === undefined ? [] : [`${tableOfJob(ended)} has ${plural(rows, 'row')}`]),
    ...(deleted === undefined ? [] : [`${plural(deleted, 'row')} deleted`]),
  ]
  out.show(ended, () =>
    ended.status === 'error'
      ? out.line(`failed: ${ended.error?.message ?? 'no reason is known'}`, 'red')
      : out.line([`job ${ended.id}: done`, ...facts].join(', '), 'green'),
  )
  return ended.status === 'success' ? 0 : 1
}
