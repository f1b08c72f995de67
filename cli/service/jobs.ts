import * as z from 'zod/mini'
import { jobBody } from '../../functions/lib/wire/job-body.ts'
import { replacedRowsOfJob, rowsOfJob, rowsText } from '../../functions/lib/wire/job-results.ts'
import { path } from '../connect/api.ts'
import { type ServiceCall, serviceCommand, serviceOptions } from '../connect/service-command.ts'
import { type FlagsOf, flag, number, option, wholeNumber } from '../shell/command.ts'
import { formatTime, secondsBetween } from '../shell/format-values.ts'
import { follow } from './follow.ts'
import { job, lookAtJob, type ShownJob, subjectOfJob } from './job-line.ts'

const options = {
  follow: flag('go on with new and changed jobs until interrupted', 'f'),
  limit: number('<number>', 'at most so many', 20),
  status: option('<status>', 'only those of this state', { choices: jobBody.shape.status.options }),
  table: option('<id>', 'only those of this table'),
  ...serviceOptions,
}

export const jobs = serviceCommand({
  description: 'list jobs, newest first, or show one',
  args: { '[job]': 'id of a job' },
  options,
  run: (call, id?: string) => (id === undefined ? listJobs(call) : showJob(call, id)),
  commands: {
    cancel: serviceCommand({
      description: 'cancel a job: one that has begun stops before its table changes',
      args: { '<job>': 'id of a job' },
      run: async ({ api, out }, id) => {
        const asked = await api.send('POST', path`jobs/${wholeNumber(id)}/cancel`, job)
        const isOver = asked.status === 'error'
        out.show(asked, isOver ? 'Cancelled.' : `The job stops at its next step: millrace wait ${asked.id}`)
      },
    }),
  },
})

const listJobs = async (call: ServiceCall<FlagsOf<typeof options>>): Promise<number | undefined> => {
  const { limit, table, status } = call.flags
  const query = { limit, tableId: table, 'storage_job_status[]': status }
  const read = () => call.api.get('jobs', z.array(job), query)
  if (call.flags.follow)
    return follow(read, each => ({ id: each.id, status: each.status, line: lineOf(each) }), call)
  call.out.list(await read(), {
    JOB: each => String(each.id),
    OPERATION: each => each.operationName,
    ABOUT: subjectOfJob,
    STATUS: each => each.status,
    CREATED: each => formatTime(each.createdTime),
    SECONDS: each => secondsBetween(each.startTime, each.endTime),
    ROWS: rowsOfJob,
    REASON: each => each.error?.message,
  })
  return undefined
}

const lineOf = (shown: ShownJob): string => {
  const rows = rowsOfJob(shown)
  return [
    formatTime(shown.endTime ?? shown.startTime ?? shown.createdTime),
    shown.id,
    shown.operationName,
    subjectOfJob(shown),
    shown.status,
    rows === undefined ? '' : rowsText(rows, replacedRowsOfJob(shown)),
    shown.error?.message ?? '',
  ]
    .filter(part => part !== '')
    .join('  ')
}

const showJob = async ({ api, out }: ServiceCall, id: string): Promise<undefined> => {
  const shown = await lookAtJob(api)(wholeNumber(id))
  out.show(shown, () => {
    out.fields({
      job: String(shown.id),
      operation: shown.operationName,
      about: subjectOfJob(shown) || null,
      status: shown.status,
      created: formatTime(shown.createdTime),
      started: formatTime(shown.startTime),
      ended: formatTime(shown.endTime),
      run: shown.runId,
      rows: rowsOfJob(shown),
      replaced: replacedRowsOfJob(shown) || null,
      code: shown.error?.code,
      reason: shown.error?.message,
    })
    if (shown.results !== null && shown.results !== undefined)
      out.line(JSON.stringify(shown.results, null, 2))
  })
}
