import * as z from 'zod/mini'
import { jobBody } from '../../functions/lib/wire/job-body.ts'
import { replacedRowsOfJob, rowsOfJob, tableOfJob } from '../../functions/lib/wire/job-results.ts'
import { type Api, path } from '../connect/api.ts'
import { serviceCommand, serviceOptions } from '../connect/service-command.ts'
import { number, option, wholeNumber } from '../shell/command.ts'
import { fieldAt, idAt, secondsBetween, timeAt } from '../shell/format-values.ts'
import type { Output } from '../shell/output.ts'

/** The parts of a job that commands look at. The rest is kept for `--json`. */
export const job = z.looseObject({
  id: z.coerce.number(),
  status: z.catch(jobBody.shape.status, 'processing'),
  tableId: z.nullish(z.string()),
  createdTime: z.nullish(z.string()),
  startTime: z.nullish(z.string()),
  endTime: z.nullish(z.string()),
  progress: z.nullish(z.object({ rows: z.number() })),
  results: z.unknown(),
  operationParams: z.unknown(),
  error: z.nullish(z.looseObject({ code: z.nullish(z.string()), message: z.string() })),
})

export type ShownJob = z.infer<typeof job>

/** The reason of a job that failed. */
export const sayFailed = ({ error }: ShownJob, out: Output): void =>
  out.line(`failed: ${error?.message ?? 'no reason is known'}`, 'red')

export const lookAtJob =
  (api: Api) =>
  (id: number): Promise<ShownJob> =>
    api.get(`jobs/${id}`, job)

/** What a job is about, a table or a configuration. One that makes a table knows its id when it has ended, and its name before. */
export const subjectOfJob = (shown: ShownJob): string => {
  const { operationParams: asked } = shown
  return String(tableOfJob(shown) ?? fieldAt(asked, 'configId') ?? fieldAt(asked, 'params.name') ?? '')
}

export const jobs = serviceCommand({
  description: 'list jobs, newest first, or show one',
  args: { '[job]': 'id of a job' },
  options: {
    limit: number('<number>', 'at most so many', 20),
    status: option('<status>', 'only those of this state', { choices: jobBody.shape.status.options }),
    table: option('<id>', 'only those of this table'),
    ...serviceOptions,
  },
  run: async ({ api, out, flags: { limit, table, status } }, id?: string) => {
    if (id === undefined) {
      const query = { limit, tableId: table, 'storage_job_status[]': status }
      return out.list(await api.get('jobs', z.array(job), query), {
        JOB: idAt('id'),
        OPERATION: 'operationName',
        ABOUT: subjectOfJob,
        STATUS: 'status',
        CREATED: timeAt('createdTime'),
        SECONDS: each => secondsBetween(each.startTime, each.endTime),
        ROWS: rowsOfJob,
        REASON: 'error.message',
      })
    }
    const shown = await lookAtJob(api)(wholeNumber(id))
    const fields = {
      job: idAt('id'),
      operation: 'operationName',
      about: () => subjectOfJob(shown) || null,
      status: 'status',
      created: timeAt('createdTime'),
      started: timeAt('startTime'),
      ended: timeAt('endTime'),
      run: 'runId',
      rows: rowsOfJob,
      replaced: () => replacedRowsOfJob(shown) || null,
      code: 'error.code',
      reason: 'error.message',
    }
    return out.detail(shown, fields, () => shown.results && out.line(JSON.stringify(shown.results, null, 2)))
  },
  commands: {
    cancel: serviceCommand({
      description: 'cancel a job: one that has begun stops before its table changes',
      args: { '<job>': 'id of a job' },
      run: async ({ api, out }, id) => {
        const asked = await api.send('POST', path`jobs/${wholeNumber(id)}/cancel`, job)
        const isOver = asked.status === 'error'
        return out.show(
          asked,
          isOver ? 'Cancelled.' : `The job stops at its next step: millrace wait ${asked.id}`,
        )
      },
    }),
  },
})
