import type { JobBody } from '#lib/wire/job-body.ts'
import type { RunBody } from '#lib/wire/run-body.ts'
import type { ListedTableBody } from '#lib/wire/table-body.ts'
import { bytes, count, counted } from '../format.ts'
import { Empty, Facts, Grid } from '../layout.tsx'
import { Time } from '../parts.tsx'
import { Freshness, type Scheduled, Schedules } from './freshness.tsx'
import { JobLink, pathOf, RunLink, TableLink } from './links.tsx'

interface OverviewProps {
  tables: readonly ListedTableBody[]
  /** Newest first. */
  failedJobs: readonly JobBody[]
  failedRuns: readonly RunBody[]
  /** How many dead letters there are. */
  letters: number
  schedules: readonly Scheduled[]
  /** Whether the token may load a file. */
  mayDrop: boolean
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

/** What there is, what waits for somebody, what failed. Asks for itself again while it is open. */
export const Overview = ({ tables, failedJobs, failedRuns, letters, schedules, mayDrop }: OverviewProps) => (
  <div hx-get="/console/live" hx-trigger="every 10s" hx-swap="outerHTML">
    <NeedsYou letters={letters} late={schedules.filter(({ isLate }) => isLate).length} />
    <Facts
      of={[
        ['Tables', count(tables.length)],
        ['Rows', count(sum(tables.map(({ rowsCount }) => rowsCount ?? 0)))],
        ['Storage', bytes(sum(tables.map(({ dataSizeBytes }) => dataSizeBytes ?? 0)))],
      ]}
    />
    {tables.length === 0 && (
      <Empty
        icon="upload"
        action={mayDrop ? <a href="/console/drop">Drop a file and get a table</a> : undefined}
      >
        No tables yet.
      </Empty>
    )}
    {schedules.length > 0 && <Schedules of={schedules} />}
    {tables.length > 0 && <Freshness tables={tables} />}
    <h2>Newest failures</h2>
    <Failures jobs={failedJobs} runs={failedRuns} />
  </div>
)

const NeedsYou = ({ letters, late }: { letters: number; late: number }) => {
  if (letters + late === 0) return null
  return (
    <section class="panel">
      <h2>Needs you</h2>
      <ul>
        {letters > 0 && (
          <li>
            <a href="/console/dead-letters">{counted(letters, 'dead letter')}</a>: what failed and was not
            started again
          </li>
        )}
        {late > 0 && <li>{counted(late, 'schedule')} should have run by now: see below</li>}
      </ul>
    </section>
  )
}

const FAILURES_SHOWN = 8

const Failures = ({ jobs, runs }: { jobs: readonly JobBody[]; runs: readonly RunBody[] }) => {
  const failures = [
    ...jobs.map(job => ({
      at: job.endTime ?? '',
      link: <JobLink job={job} />,
      of: <TableLink job={job} />,
      reason: job.error?.message,
    })),
    ...runs.map(run => ({
      at: run.endTime ?? '',
      link: <RunLink run={run} />,
      of: (
        <a href={pathOf(run.componentId, run.configId)}>
          {run.componentId}/{run.configId}
        </a>
      ),
      reason: run.error?.message,
    })),
  ]
  if (failures.length === 0) return <Empty icon="check">Nothing has failed lately.</Empty>
  return (
    <Grid caption="Newest failures" head={['When', 'What', 'Of', 'Why']}>
      {failures
        .sort((a, b) => Date.parse(b.at) - Date.parse(a.at))
        .slice(0, FAILURES_SHOWN)
        .map(({ at, link, of, reason }) => (
          <tr>
            <td>
              <Time at={at} />
            </td>
            <th scope="row">{link}</th>
            <td>{of}</td>
            <td class="sentence">{reason}</td>
          </tr>
        ))}
    </Grid>
  )
}
