import type { Child } from 'hono/jsx'
import type { JobBody } from '#lib/wire/job-body.ts'
import { type RunBody, shownStatus } from '#lib/wire/run-body.ts'
import { count, duration, spent } from '../format.ts'
import { Empty, Grid } from '../layout.tsx'
import { Status, Tabs, Time } from '../parts.tsx'
import { Outcome } from './jobs.tsx'
import { JobLink, pathOf, RunLink, TableLink } from './links.tsx'

interface Entry {
  at: string
  status: string
  link: Child
  of: Child
  took: string
  outcome: Child
}

/** What a list shows: by name, of the newest. */
const choices: Readonly<Record<string, readonly string[]>> = {
  all: [],
  running: ['waiting', 'processing'],
  failed: ['error'],
}

interface TimelineProps {
  jobs: readonly JobBody[]
  runs: readonly RunBody[]
  /** One of `choices`; anything else shows all. */
  show: string
}

/** Jobs and runs in one list, newest first. Asks for itself again while it is open. */
export const Timeline = ({ jobs, runs, show }: TimelineProps) => {
  const pathTo = (choice: string): string =>
    choice === 'all' ? '/console/jobs' : `/console/jobs?show=${choice}`
  const chosen = Object.hasOwn(choices, show) ? show : 'all'
  // A run that a job asked for is one piece of work.
  const asked = new Set(runs.map(({ trigger }) => trigger))
  const entries = [
    ...jobs
      .filter(job => job.operationName !== 'configurationRun' || !asked.has(`job ${job.id}`))
      .map(entryOfJob),
    ...runs.map(entryOfRun),
  ].sort((a, b) => Date.parse(b.at) - Date.parse(a.at))
  const of = (choice: string): Entry[] =>
    choice === 'all' ? entries : entries.filter(({ status }) => choices[choice]?.includes(status))
  const shown = of(chosen)
  return (
    <div hx-get={`/console/jobs/live?show=${chosen}`} hx-trigger="every 3s" hx-swap="outerHTML">
      <Tabs
        label="Which of the newest"
        of={Object.keys(choices).map(choice => [pathTo(choice), choice, of(choice).length])}
        at={pathTo(chosen)}
      />
      {shown.length === 0 ? (
        <Empty
          icon="activity"
          action={<a href="/console/drop">Drop a file, and its import is listed here</a>}
        >
          {chosen === 'all' ? 'Nothing yet.' : `None of the newest is ${chosen}.`}
        </Empty>
      ) : (
        <EntryTable entries={shown} />
      )}
    </div>
  )
}

export const JobTable = ({ jobs }: { jobs: readonly JobBody[] }) => (
  <EntryTable entries={jobs.map(entryOfJob)} />
)

export const RunTable = ({ runs }: { runs: readonly RunBody[] }) => (
  <EntryTable entries={runs.map(entryOfRun)} />
)

const EntryTable = ({ entries }: { entries: readonly Entry[] }) => (
  <Grid
    caption="Jobs and runs"
    head={['What', 'Status', 'Of', 'When', { number: 'Took' }, 'What became of it']}
  >
    {entries.map(({ at, status, link, of, took, outcome }) => (
      <tr>
        <th scope="row">{link}</th>
        <td>
          <Status value={status} />
        </td>
        <td>{of}</td>
        <td>
          <Time at={at} />
        </td>
        <td class="number">{took}</td>
        <td class="sentence">{outcome}</td>
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
  took: run.durationSeconds === null ? '' : spent(run.durationSeconds),
  outcome: run.error?.message ?? `${count(run.rowsLoaded)} rows`,
})
