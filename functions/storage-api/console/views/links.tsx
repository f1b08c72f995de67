import { z } from 'zod'
import type { Job, Run } from '../schemas.ts'

export const tablePath = (id: string): string => `/console/tables/${encodeURIComponent(id)}`

export const JobLink = ({ job }: { job: Job }) => (
  <a href={`/console/jobs/${job.id}`}>
    {job.operationName} {job.id}
  </a>
)

export const RunLink = ({ run }: { run: Run }) => (
  <a href={`/console/runs/${encodeURIComponent(run.id)}`}>run {run.id}</a>
)

/** The parts of a job's results that have a page, or a number that people look for. */
const resultsSchema = z.object({
  id: z
    .string()
    .regex(/^(in|out|sys)\./)
    .optional()
    .catch(undefined),
  importedRowsCount: z.number().optional(),
  file: z.object({ id: z.number() }).optional(),
})

export const resultsOf = (job: Job): z.output<typeof resultsSchema> =>
  resultsSchema.safeParse(job.results).data ?? {}

/** The table of a job: the one that it was asked for, or that it made. */
export const TableLink = ({ job }: { job: Job }) => {
  const id = job.tableId || resultsOf(job).id
  return id === undefined ? <span>–</span> : <a href={tablePath(id)}>{id}</a>
}
