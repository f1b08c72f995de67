import type { Child } from 'hono/jsx'
import type { JobBody } from '#lib/wire/job-body.ts'
import { type RunBody, shownStatus } from '#lib/wire/run-body.ts'
import { count, duration } from '../format.ts'
import { Empty, Grid, Status } from '../layout.tsx'
import { pathOf } from './configurations.tsx'
import { Outcome } from './jobs.tsx'
import { JobLink, RunLink, TableLink } from './links.tsx'

interface Entry {
  at: string
  status: string
  link: Child
  of: Child
  took: string
  outcome: Child
}

/** Jobs and runs in one list, newest first. Asks for itself again while it is open. */
export const Timeline = ({ jobs, runs }: { jobs: readonly JobBody[]; runs: readonly RunBody[] }) => {
  // A run that a job asked for is one piece of work.
  const asked = new Set(runs.map(({ trigger }) => trigger))
  const entries = [
    ...jobs
      .filter(job => job.operationName !== 'configurationRun' || !asked.has(`job ${job.id}`))
      .map(entryOfJob),
    ...runs.map(entryOfRun),
  ].sort((a, b) => Date.parse(b.at) - Date.parse(a.at))
  return (
    <div hx-get="/console/jobs/live" hx-trigger="every 3s" hx-swap="outerHTML">
      {entries.length === 0 ? (
        <Empty>
          Nothing yet. <a href="/console/drop">Drop a file</a>, and its import is listed here.
        </Empty>
      ) : (
        <EntryTable entries={entries} />
      )}
    </div>
  )
}

export const JobTable = ({ jobs }: { jobs: readonly JobBody[] }) => (
  <EntryTable entries={jobs.map(entryOfJob)} />
)

const EntryTable = ({ entries }: { entries: readonly Entry[] }) => (
  <Grid caption="Jobs and runs" head={['What', 'Status', 'Of', 'When', 'Took', 'What became of it']}>
    {entries.map(({ at, status, link, of, took, outcome }) => (
      <tr>
        <th scope="row">{link}</th>
        <td>
          <Status value={status} />
        </td>
        <td>{of}</td>
        <td>
          <time datetime={at}>{at}</time>
        </td>
        <td class="number">{took}</td>
        <td class="cell">{outcome}</td>
      </tr>
    ))}
  </Grid>
)

const entryOfJob = (job: JobBody): Entry => ({
  at: job.createdTime,
  status: job.status,
  link: <JobLink job={job} />,
  of: <TableLink job={job} />,
  took: duration(job.startTime, job.endTime),
  outcome: <Outcome job={job} />,
})

const entryOfRun = (run: RunBody): Entry => ({
  at: run.startTime,
  status: shownStatus(run),
  link: <RunLink run={run} />,
  of: (
    <a href={pathOf(run.componentId, run.configId)}>
      {run.componentId}/{run.configId}
    </a>
  ),
  took: run.durationSeconds === null ? '' : `${run.durationSeconds} s`,
  outcome: run.error?.message ?? `${count(run.rowsLoaded)} rows; started by ${run.trigger || 'a person'}`,
})
