import { setTimeout as sleep } from 'node:timers/promises'
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

const source = z.catch(z.object({ configId: z.string() }), { configId: '' })

/** What a job is about, a table or a configuration: a job that makes a table knows it when it has ended. */
export const subjectOfJob = (shown: ShownJob): string =>
  tableOfJob(shown) ?? source.parse(shown.operationParams).configId

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000

/** The job at its end. Rejects when the signal fires. */
export const awaitJob = async (api: Api, id: number, signal?: AbortSignal): Promise<ShownJob> => {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
    const current = await api.get(`jobs/${id}`, job)
    if (current.status === 'success' || current.status === 'error') return current
    await sleep(pause, undefined, { signal })
  }
}

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
