import { z } from 'zod'
import type { Cell } from '../output/format-table.ts'
import { secondsBetween } from '../output/format-values.ts'

/** The parts of a job that commands show. The rest is kept for `--json`. */
export const job = z.looseObject({
  id: z.coerce.number(),
  status: z.enum(['waiting', 'processing', 'success', 'error']).catch('processing'),
  operationName: z.string(),
  tableId: z.string().nullish(),
  createdTime: z.string().nullish(),
  startTime: z.string().nullish(),
  endTime: z.string().nullish(),
  runId: z.string().nullish(),
  results: z.unknown(),
  operationParams: z.unknown(),
  error: z.looseObject({ code: z.string().nullish(), message: z.string() }).nullish(),
})

export type ShownJob = z.infer<typeof job>

const results = z
  .object({
    id: z.string().optional().catch(undefined),
    importedRowsCount: z.number().optional(),
    /** Of a table that the job made. */
    rowsCount: z.number().optional(),
    rowsLoaded: z.number().optional(),
  })
  .catch({})
const source = z.object({ configId: z.string() }).catch({ configId: '' })

export const rowsOfJob = (shown: ShownJob): number | undefined => {
  const { importedRowsCount, rowsLoaded, rowsCount } = results.parse(shown.results)
  return importedRowsCount ?? rowsLoaded ?? rowsCount
}

/** The table that a job is about: a job that makes one knows it when it has ended. */
export const tableOfJob = (shown: ShownJob): string =>
  shown.tableId ?? results.parse(shown.results).id ?? source.parse(shown.operationParams).configId

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
  tableOfJob(shown),
  shown.status,
  formatTime(shown.createdTime),
  secondsBetween(shown.startTime, shown.endTime),
  rowsOfJob(shown),
  shown.error?.message ?? '',
]
