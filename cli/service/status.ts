import * as z from 'zod/mini'
import { plural } from '../../functions/lib/plural.ts'
import { indexBody } from '../../functions/lib/wire/index-body.ts'
import { readsAll } from '../../functions/lib/wire/reads.ts'
import { runBody, shownStatus } from '../../functions/lib/wire/run-body.ts'
import { listedTableBody } from '../../functions/lib/wire/table-body.ts'
import { tokenBody } from '../../functions/lib/wire/token-body.ts'
import { ifOffered } from '../connect/api.ts'
import { serviceCommand, serviceOptions } from '../connect/service-command.ts'
import { formatBytes, formatTime } from '../shell/format-values.ts'
import { job, subjectOfJob } from './job-line.ts'

const index = readsAll(indexBody, { revision: false })
const token = readsAll(tokenBody, { description: true })
const table = readsAll(listedTableBody, { rowsCount: false, dataSizeBytes: false })
const anyLetter = z.array(z.looseObject({ closed: z.nullish(z.unknown()) }))
const run = z.pick(runBody, { status: true, results: true })

const LOOKED_AT_JOBS = 100
const SHOWN_FAILURES = 5

export const status = serviceCommand({
  description: 'what is stored, what is under way, and what failed lately',
  options: serviceOptions,
  run: async ({ api, out }) => {
    const [about, caller, tables, jobs, letters, runs] = await Promise.all([
      api.get('', index, { exclude: 'components' }),
      api.get('tokens/verify', token),
      api.get('tables', z.array(table), { include: 'metadata' }),
      api.get('jobs', z.array(job), { limit: LOOKED_AT_JOBS }),
      ifOffered(api.get('dead-letters', anyLetter, { limit: 1000 })),
      ifOffered(api.get('runs', z.array(run), { limit: LOOKED_AT_JOBS })),
    ])
    const countOf = (status: string) => jobs.filter(each => each.status === status).length
    const failures = jobs.filter(({ status }) => status === 'error')
    const status = {
      url: api.address.url,
      version: about.revision ?? null,
      token: caller.description,
      tables: tables.length,
      rows: tables.reduce((sum, { rowsCount }) => sum + (rowsCount ?? 0), 0),
      bytes: tables.reduce((sum, { dataSizeBytes }) => sum + (dataSizeBytes ?? 0), 0),
      /** Among the last hundred. */
      jobs: {
        waiting: countOf('waiting'),
        processing: countOf('processing'),
        success: countOf('success'),
        error: failures.length,
      },
      deadLetters: letters?.filter(({ closed }) => !closed).length ?? null,
      failedRuns: runs?.filter(each => each.status === 'error').length ?? null,
      /** They succeeded, and say that not all may have come. */
      warnedRuns: runs?.filter(each => shownStatus(each) === 'warned').length ?? null,
      failures: failures.slice(0, SHOWN_FAILURES).map(each => ({
        jobId: each.id,
        tableId: subjectOfJob(each),
        time: each.endTime ?? null,
        message: each.error?.message ?? '',
      })),
    }
    out.show(status, () => {
      const { waiting, processing, success, error } = status.jobs
      out.fields({
        service: status.url,
        version: status.version,
        token: status.token,
        tables: `${plural(status.tables, 'table')}, ${plural(status.rows, 'row')}, ${formatBytes(status.bytes)}`,
        jobs: `of the last ${jobs.length}: ${waiting} waiting, ${processing} under way, ${success} done, ${error} failed`,
        'dead letters': status.deadLetters,
        'failed runs': status.failedRuns,
        'runs with warnings': status.warnedRuns,
      })
      for (const { time, tableId, message } of status.failures)
        out.line(`${formatTime(time)}  ${tableId}  ${message}`, 'red')
      if (status.deadLetters) out.line('millrace letters shows what failed and how to try again.')
    })
  },
})
