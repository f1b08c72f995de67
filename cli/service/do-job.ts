import { plural } from '../../functions/lib/plural.ts'
import { rowsOfDeletion } from '../../functions/lib/wire/job-results.ts'
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
  out.show(ended, () =>
    ended.status === 'error'
      ? out.line(`failed: ${ended.error?.message ?? 'no reason is known'}`, 'red')
      : out.line(
          `job ${ended.id}: done${deleted === undefined ? '' : `, ${plural(deleted, 'row')} deleted`}`,
          'green',
        ),
  )
  return ended.status === 'success' ? 0 : 1
}
