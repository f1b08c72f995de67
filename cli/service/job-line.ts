import * as z from 'zod/mini'
import { failureOfJob, jobBody } from '../../functions/lib/wire/job-body.ts'
import { tableOfJob } from '../../functions/lib/wire/job-results.ts'
import { readsAll } from '../../functions/lib/wire/reads.ts'
import type { Api } from '../connect/api.ts'
import type { Output } from '../shell/output.ts'

/** The parts of a job that commands show. The rest is kept for `--json`. */
export const job = readsAll(jobBody, {
  id: true,
  status: z.catch(jobBody.shape.status, 'processing'),
  operationName: true,
  tableId: false,
  createdTime: false,
  startTime: false,
  endTime: false,
  runId: false,
  progress: false,
  results: z.unknown(),
  operationParams: z.unknown(),
  error: z.nullish(readsAll(failureOfJob, { code: false, message: true })),
})

export type ShownJob = z.infer<typeof job>

/** The reason of a job that failed. */
export const sayFailed = ({ error }: ShownJob, out: Output): void =>
  out.line(`failed: ${error?.message ?? 'no reason is known'}`, 'red')

export const lookAtJob =
  (api: Api) =>
  (id: number): Promise<ShownJob> =>
    api.get(`jobs/${id}`, job)

const asked = z.catch(
  z.object({
    configId: z.optional(z.string()),
    params: z.optional(z.object({ name: z.optional(z.string()) })),
  }),
  {},
)

/** What a job is about, a table or a configuration. One that makes a table knows its id when it has ended, and its name before. */
export const subjectOfJob = (shown: ShownJob): string => {
  const { configId, params } = asked.parse(shown.operationParams)
  return tableOfJob(shown) ?? configId ?? params?.name ?? ''
}
