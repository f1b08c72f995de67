import type { HoursBody } from '#lib/wire/hours-body.ts'
import type { JobBody } from '#lib/wire/job-body.ts'
import type { RunBody } from '#lib/wire/run-body.ts'
import type { ListedTableBody } from '#lib/wire/table-body.ts'
import { bytes, count } from '../format.ts'
import { Empty, Facts, Grid } from '../layout.tsx'
import { Time } from '../parts.tsx'
import { pathOf } from './configurations.tsx'
import { JobLink, RunLink, TableLink } from './links.tsx'

interface OverviewProps {
  tables: readonly ListedTableBody[]
  /** Newest first. */
  failedJobs: readonly JobBody[]
  failedRuns: readonly RunBody[]
  stats: HoursBody
}

type Hour = HoursBody['hours'][number]

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

/** What came in, what waits, what failed. Asks for itself again while it is open. */
export const Overview = ({ tables, failedJobs, failedRuns, stats: { hours, isComplete } }: OverviewProps) => {
  const inAll = (of: (hour: Hour) => number) => count(sum(hours.map(of)))
  const isQuiet = hours.every(hour => heightOf(hour) === 0)
  return (
    <div hx-get="/console/live" hx-trigger="every 10s" hx-swap="outerHTML">
      <Facts
        of={[
          ['Tables', count(tables.length)],
          ['Rows', count(sum(tables.map(({ rowsCount }) => rowsCount ?? 0)))],
          ['Storage', bytes(sum(tables.map(({ dataSizeBytes }) => dataSizeBytes ?? 0)))],
          ['Waiting', inAll(({ waiting }) => waiting)],
          ['Under way', inAll(({ processing }) => processing)],
          ['Failed', inAll(({ error }) => error)],
          ['Rows that came in', inAll(({ rowsLoaded }) => rowsLoaded)],
          ['Read', bytes(sum(hours.map(({ bytesRead }) => bytesRead)))],
        ]}
      />
      <h2>The last {hours.length} hours</h2>
      {isQuiet ? (
        <Empty>
          Nothing yet. <a href="/console/drop">Drop a file</a> and get a table.
        </Empty>
      ) : (
        <HourChart hours={hours} />
      )}
      {!isComplete && <p class="hint">There was too much to count: the oldest hours lack some.</p>}
      <h2>Newest failures</h2>
      <Failures jobs={failedJobs} runs={failedRuns} />
    </div>
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
  if (failures.length === 0) return <Empty>None.</Empty>
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
            <td class="cell">{reason}</td>
          </tr>
        ))}
    </Grid>
  )
}

const WIDTH = 12
const HEIGHT = 80

/** From the bottom of a bar to its top. */
const parts = [
  ['done', 'done', (hour: Hour) => hour.success],
  ['waiting', 'waiting or under way', (hour: Hour) => hour.waiting + hour.processing],
  ['failed', 'failed', (hour: Hour) => hour.error],
] as const

const heightOf = (hour: Hour): number => sum(parts.map(([, , of]) => of(hour)))

/** Bars as SVG: a reader of the screen gets the numbers, and no script has to run. */
const HourChart = ({ hours }: { hours: readonly Hour[] }) => {
  const scale = HEIGHT / Math.max(1, ...hours.map(heightOf))
  return (
    <>
      <svg
        class="chart"
        viewBox={`0 0 ${hours.length * WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={labelOf(hours)}
      >
        {hours.map((hour, index) => {
          let below = 0
          return (
            <g>
              <title>{titleOf(hour)}</title>
              {parts.map(([kind, , of]) => {
                const height = of(hour) * scale
                below += height
                return (
                  <rect class={kind} x={index * WIDTH} y={HEIGHT - below} width={WIDTH - 2} height={height} />
                )
              })}
            </g>
          )
        })}
      </svg>
      <p class="legend hint">
        {parts.map(([kind, name]) => (
          <span class={kind}>{name}</span>
        ))}
      </p>
    </>
  )
}

const titleOf = (hour: Hour): string =>
  `${hour.start}: ${parts.map(([, name, of]) => `${of(hour)} ${name}`).join(', ')}; ${hour.imports} imports, ${hour.exports} exports, ${hour.runs} runs; ${hour.rowsLoaded} rows`

const labelOf = (hours: readonly Hour[]): string =>
  `Jobs and runs of the last ${hours.length} hours: ${parts.map(([, name, of]) => `${sum(hours.map(of))} ${name}`).join(', ')}`
