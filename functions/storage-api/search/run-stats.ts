import { z } from 'zod'
import type { FinalJob, JobRecord } from '../../lib/storage/jobs/job-record.ts'
import { text } from '../http/fields.ts'
import { routesOf } from '../http/route.ts'

export const routes = routesOf('search')

const ofTables = z.object({
  tables: z.array(
    z.object({
      id: z.string().meta({ example: 'in.c-main.orders' }),
      count: z.int(),
      durationTotalSeconds: z.number(),
    }),
  ),
  totalCount: z.int(),
})

const ofFiles = z.object({
  total: z.object({
    count: z.int(),
    dataSizeBytes: z.object({ total: z.int(), mean: z.number(), max: z.int(), min: z.int() }),
  }),
  tags: z.object({ tags: z.array(z.object({ tag: z.string(), count: z.int() })) }),
})

/** What the jobs with exactly this run id imported and exported, and the files that have it. */
routes.get('/v2/storage/stats', {
  summary: 'What a run moved',
  access: 'project',
  query: z.object({ runId: text({ min: 1, max: 255 }) }),
  replies: { 200: 'Its imports, exports and files' },
  reply: z.object({ tables: z.object({ import: ofTables, export: ofTables }), files: ofFiles }),
  handle: async ({ query: { runId } }, { jobs, files }) => {
    const loads: TableRun[] = []
    const exports: TableRun[] = []
    for await (const job of jobs.list()) {
      if (job.runId !== runId || job.status !== 'success') continue
      const tableId = loadedTable(job)
      if (tableId !== undefined) loads.push({ tableId, seconds: secondsOf(job) })
      if (job.input.operationName === 'tableExport')
        exports.push({ tableId: job.input.tableId, seconds: secondsOf(job) })
    }
    const sizes: number[] = []
    const tags: string[] = []
    for await (const file of files.list()) {
      if (file.runId !== runId && !file.runIds.includes(runId)) continue
      sizes.push(file.sizeBytes)
      tags.push(...file.tags)
    }
    return {
      tables: { import: perTable(loads), export: perTable(exports) },
      files: { total: { count: sizes.length, dataSizeBytes: spread(sizes) }, tags: { tags: perTag(tags) } },
    }
  },
})

interface TableRun {
  tableId: string
  seconds: number
}

const loadedTable = ({ input }: JobRecord): string | undefined => {
  if (input.operationName === 'tableImport') return input.tableId
  return input.operationName === 'tableCreate' ? `${input.bucketId}.${input.name}` : undefined
}

const secondsOf = ({ startTime, endTime }: FinalJob): number =>
  startTime === null ? 0 : (Date.parse(endTime) - Date.parse(startTime)) / 1000

const perTable = (runs: TableRun[]): z.infer<typeof ofTables> => ({
  tables: Object.entries(Object.groupBy(runs, ({ tableId }) => tableId))
    .map(([id, of = []]) => ({
      id,
      count: of.length,
      durationTotalSeconds: sum(of.map(({ seconds }) => seconds)),
    }))
    .toSorted((one, other) => other.count - one.count),
  totalCount: runs.length,
})

const perTag = (tags: string[]) =>
  Object.entries(Object.groupBy(tags, tag => tag)).map(([tag, of = []]) => ({ tag, count: of.length }))

const spread = (sizes: number[]) => ({
  total: sum(sizes),
  mean: sizes.length === 0 ? 0 : sum(sizes) / sizes.length,
  max: sizes.reduce((a, b) => Math.max(a, b), 0),
  min: sizes.length === 0 ? 0 : sizes.reduce((a, b) => Math.min(a, b)),
})

const sum = (numbers: number[]): number => numbers.reduce((a, b) => a + b, 0)
