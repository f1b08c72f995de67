import * as z from 'zod/mini'
import { plural } from '../../functions/lib/plural.ts'
import { deadLetterBody, MOST_LETTERS } from '../../functions/lib/wire/dead-letter-body.ts'
import { runBody, shownStatus } from '../../functions/lib/wire/run-body.ts'
import { ifOffered, type Thing, thing, things } from '../connect/api.ts'
import { serviceCommand, serviceOptions } from '../connect/service-command.ts'
import { formatBytes, formatTime } from '../shell/format-values.ts'
import { job, type ShownJob, subjectOfJob } from './jobs.ts'
import { describeInput } from './letters.ts'

const run = z.pick(runBody, { status: true, results: true })

const LOOKED_AT_JOBS = 100
const SHOWN_FAILURES = 5

const sumOf = (all: readonly Thing[], field: string): number =>
  all.reduce((sum, each) => sum + Number(each[field] ?? 0), 0)

type Letter = z.infer<typeof deadLetterBody>

const failureOfLetter = (letter: Letter) => ({
  subject: describeInput(letter),
  time: letter.created,
  message: letter.failure.message,
})

/** Another service keeps no dead letters. */
const failureOfJob = (failed: ShownJob) => ({
  subject: subjectOfJob(failed),
  time: failed.endTime ?? null,
  message: failed.error?.message ?? '',
})

export const status = serviceCommand({
  description: 'what is stored, what is under way, and what failed and nobody has mended',
  options: serviceOptions,
  run: async ({ api, out }) => {
    const [about, caller, tables, jobs, letters, runs] = await Promise.all([
      api.get('', thing, { exclude: 'components' }),
      api.get('tokens/verify', thing),
      api.get('tables', things, { include: 'metadata' }),
      api.get('jobs', z.array(job), { limit: LOOKED_AT_JOBS }),
      ifOffered(api.get('dead-letters', z.array(deadLetterBody), { limit: MOST_LETTERS })),
      ifOffered(api.get('runs', z.array(run), { limit: LOOKED_AT_JOBS })),
    ])
    const countOf = (status: string) => jobs.filter(each => each.status === status).length
    const failedJobs = jobs.filter(each => each.status === 'error')
    const status = {
      url: api.address.url,
      version: about['revision'] ?? null,
      token: caller['description'],
      tables: tables.length,
      rows: sumOf(tables, 'rowsCount'),
      bytes: sumOf(tables, 'dataSizeBytes'),
      /** Among the last hundred. */
      jobs: {
        waiting: countOf('waiting'),
        processing: countOf('processing'),
        success: countOf('success'),
        /** Mended ones, too. */
        error: failedJobs.length,
      },
      deadLetters: letters?.length ?? null,
      /** Mended ones, too. */
      failedRuns: runs?.filter(each => each.status === 'error').length ?? null,
      /** They succeeded, and say that not all may have come. */
      warnedRuns: runs?.filter(each => shownStatus(each) === 'warned').length ?? null,
      failures: (letters?.map(failureOfLetter) ?? failedJobs.map(failureOfJob)).slice(0, SHOWN_FAILURES),
    }
    out.show(status, () => {
      const { waiting, processing, success } = status.jobs
      out.fields({
        service: status.url,
        version: status.version === null ? null : String(status.version),
        token: String(status.token),
        tables: `${plural(status.tables, 'table')}, ${plural(status.rows, 'row')}, ${formatBytes(status.bytes)}`,
        jobs: `of the last ${jobs.length}: ${waiting} waiting, ${processing} under way, ${success} done`,
        'dead letters': status.deadLetters,
        'runs with warnings': status.warnedRuns,
      })
      for (const { time, subject, message } of status.failures)
        out.line(`${formatTime(time)}  ${subject}  ${message}`, 'red')
      if (status.deadLetters) out.line('millrace letters shows what failed and how to try again.')
    })
  },
})
