import { z } from 'zod'
import { bytes, count, duration, readable } from '../format.ts'
import { Empty, Facts, Grid, Problem, Status } from '../layout.tsx'
import type { Job } from '../schemas.ts'

/** Jobs, newest first. Asks for itself again while it is open. */
export const JobList = ({ jobs, live }: { jobs: readonly Job[]; live: string }) => (
  <div hx-get={live} hx-trigger="every 3s" hx-swap="outerHTML">
    {jobs.length === 0 ? (
      <Empty>
        No job yet. <a href="/console/drop">Drop a file</a>, and its import is listed here.
      </Empty>
    ) : (
      <JobTable jobs={jobs} />
    )}
  </div>
)

export const JobTable = ({ jobs }: { jobs: readonly Job[] }) => (
  <Grid caption="Jobs" head={['Job', 'Status', 'Operation', 'Table', 'Created', 'Took', 'What became of it']}>
    {jobs.map(job => (
      <tr>
        <th scope="row">
          <a href={`/console/jobs/${job.id}`}>{job.id}</a>
        </th>
        <td>
          <Status value={job.status} />
        </td>
        <td>{job.operationName}</td>
        <td>
          <TableLink job={job} />
        </td>
        <td>
          <time datetime={job.createdTime}>{job.createdTime}</time>
        </td>
        <td class="number">{duration(job.startTime, job.endTime)}</td>
        <td class="cell">
          <Outcome job={job} />
        </td>
      </tr>
    ))}
  </Grid>
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

const resultsOf = (job: Job): z.output<typeof resultsSchema> =>
  resultsSchema.safeParse(job.results).data ?? {}

/** The table of a job: the one that it was asked for, or that it made. */
const TableLink = ({ job }: { job: Job }) => {
  const id = job.tableId || resultsOf(job).id
  return id === undefined ? <span>–</span> : <a href={`/console/tables/${encodeURIComponent(id)}`}>{id}</a>
}

const Outcome = ({ job }: { job: Job }) => {
  const { file, importedRowsCount } = resultsOf(job)
  if (job.error !== undefined) return <span>{job.error.message}</span>
  if (file !== undefined) return <a href={`/console/files/${file.id}`}>File {file.id}</a>
  return <span>{importedRowsCount === undefined ? '' : `${count(importedRowsCount)} rows`}</span>
}

const isOver = (job: Job): boolean => job.status === 'success' || job.status === 'error'

/** One job; asks for itself again until it is over. */
export const JobDetail = ({ job }: { job: Job }) => {
  const live = isOver(job)
    ? {}
    : { 'hx-get': `/console/jobs/${job.id}/live`, 'hx-trigger': 'every 1s', 'hx-swap': 'outerHTML' }
  return (
    <div {...live} aria-live="polite">
      {job.error !== undefined && (
        <Problem>
          {job.error.message} <code>{job.error.code}</code>
        </Problem>
      )}
      <Facts
        of={[
          ['Status', <Status value={job.status} />],
          ['Operation', job.operationName],
          ['Table', <TableLink job={job} />],
          ['Created', job.createdTime],
          ['Waited', duration(job.createdTime, job.startTime) || '–'],
          ['Took', duration(job.startTime, job.endTime) || '–'],
          ['Read', bytes(job.metrics?.inBytes)],
          ['What became of it', <Outcome job={job} />],
          ['Asked for by', job.creatorToken?.description ?? '–'],
          ['Run', job.runId || '–'],
        ]}
      />
      <h2>Result</h2>
      <pre>{readable(job.results) || '–'}</pre>
      <h2>Parameters</h2>
      <pre>{readable(job.operationParams)}</pre>
    </div>
  )
}
