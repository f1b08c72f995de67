import { z } from 'zod'
import { jobBody } from '../../functions/lib/wire/job-body.ts'
import { replacedRowsOfJob, rowsOfJob, rowsText } from '../../functions/lib/wire/job-results.ts'
import { wholeNumber } from '../connect/options.ts'
import { serviceOptions } from '../connect/storage-options.ts'
import { argument, type Command, option } from '../shell/command.ts'
import { formatTime } from '../shell/format-values.ts'
import { styleOf } from '../shell/output.ts'
import { follow } from './follow.ts'
import { job, jobCells, jobColumns, type ShownJob, subjectOfJob } from './job-line.ts'
import { onService, type ServiceCall } from './on-service.ts'

interface Flags {
  follow?: boolean
  limit: string
  status?: string
  table?: string
}

export const jobs: Command = {
  description: 'list jobs, newest first, or show one',
  args: [argument('[job]', 'id of a job')],
  options: [
    option('-f, --follow', 'go on with new and changed jobs until interrupted'),
    option('--limit <number>', 'at most so many', '20'),
    option('--status <status>', 'only those of this state').choices(jobBody.shape.status.options),
    option('--table <id>', 'only those of this table'),
    ...serviceOptions,
  ],
  run: onService<Flags>((call, id?: string) => (id === undefined ? listJobs(call) : showJob(call, id))),
  commands: {
    cancel: {
      description: 'cancel a job: one that has begun stops before its table changes',
      args: [argument('<job>', 'id of a job')],
      run: onService((call, id) => cancelJob(call, id)),
    },
  },
}

const cancelJob = async ({ api, out }: ServiceCall, id: string): Promise<undefined> => {
  const asked = await api.send('POST', `jobs/${wholeNumber(id)}/cancel`, job)
  const isOver = asked.status === 'error'
  out.show(asked, () =>
    out.line(isOver ? 'Cancelled.' : `The job stops at its next step: millrace wait ${asked.id}`),
  )
}

const listJobs = async ({ api, out, flags, shell }: ServiceCall<Flags>): Promise<number | undefined> => {
  const query = {
    limit: wholeNumber(flags.limit),
    tableId: flags.table,
    'storage_job_status[]': flags.status,
  }
  const read = () => api.get('jobs', z.array(job), query)
  if (flags.follow)
    return follow(read, {
      interrupted: shell.onInterrupt(),
      idOf: ({ id }) => String(id),
      markOf: ({ status }) => status,
      show: shown =>
        out.isJson ? out.line(JSON.stringify(shown)) : out.line(lineOf(shown), styleOf(shown.status)),
    })
  const jobs = await read()
  out.show(jobs, () =>
    out.table(
      jobColumns,
      jobs.map(each => jobCells(each, formatTime)),
    ),
  )
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
  const shown = await api.get(`jobs/${wholeNumber(id)}`, job)
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
  return undefined
}
