import * as z from 'zod/mini'
import { failureOfJob, jobBody } from '../../functions/lib/wire/job-body.ts'
import { rowsOfJob, tableOfJob } from '../../functions/lib/wire/job-results.ts'
import { readsAll } from '../../functions/lib/wire/reads.ts'
import type { Cell } from '../output/format-table.ts'
import { secondsBetween } from '../output/format-values.ts'
import type { Api } from './api.ts'

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
  results: z.unknown(),
  operationParams: z.unknown(),
  error: z.nullish(readsAll(failureOfJob, { code: false, message: true })),
})

export type ShownJob = z.infer<typeof job>

export const lookAtJob =
  (api: Api) =>
  (id: number): Promise<ShownJob> =>
    api.get(`jobs/${id}`, job)

const source = z.catch(z.object({ configId: z.string() }), { configId: '' })

/** What a job is about, a table or a configuration: a job that makes a table knows it when it has ended. */
export const subjectOfJob = (shown: ShownJob): string =>
  tableOfJob(shown) ?? source.parse(shown.operationParams).configId

export const jobColumns = [
  'JOB',
  'OPERATION',
  'ABOUT',
  'STATUS',
  'CREATED',
  'SECONDS',
  'ROWS',
  'REASON',
] as const

export const jobCells = (shown: ShownJob, formatTime: (time?: string | null) => string): Cell[] => [
  String(shown.id),
  shown.operationName,
  subjectOfJob(shown),
  shown.status,
  formatTime(shown.createdTime),
  secondsBetween(shown.startTime, shown.endTime),
  rowsOfJob(shown),
  shown.error?.message ?? '',
]
