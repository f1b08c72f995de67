import type { HoursBody } from '#lib/wire/hours-body.ts'
import type { JobBody } from '#lib/wire/job-body.ts'
import type { RunBody } from '#lib/wire/run-body.ts'
import type { ListedTableBody } from '#lib/wire/table-body.ts'
import { bytes, count, counted } from '../format.ts'
import { Empty, Facts, Grid } from '../layout.tsx'
import { Tabs, Time } from '../parts.tsx'
import { Freshness, type Scheduled, Schedules } from './freshness.tsx'
import { JobLink, pathOf, RunLink, TableLink } from './links.tsx'

interface OverviewProps {
  tables: readonly ListedTableBody[]
  /** Newest first. */
  failedJobs: readonly JobBody[]
  failedRuns: readonly RunBody[]
  stats: HoursBody
  /** How many dead letters there are. */
  letters: number
  schedules: readonly Scheduled[]
  /** Whether the token may load a file. */
  mayDrop: boolean
}

type Hour = HoursBody['hours'][number]

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

const DAY_HOURS = 24
const WEEK_HOURS = 168

/** What came in, what waits, what failed. Asks for itself again while it is open. */
export const Overview = (props: OverviewProps) => {
  const { tables, failedJobs, failedRuns, stats, letters, schedules, mayDrop } = props
  const { hours, isComplete } = stats
  const inAll = (of: (hour: Hour) => number) => count(sum(hours.map(of)))
  const isWeek = hours.length === WEEK_HOURS
  const isQuiet = hours.every(hour => heightOf(hour) === 0)
  return (
    <div hx-get={`/console/live?hours=${hours.length}`} hx-trigger="every 10s" hx-swap="outerHTML">
      <NeedsYou letters={letters} late={schedules.filter(({ isLate }) => isLate).length} />
      <Facts
        of={[
          ['Tables', count(tables.length)],
          ['Rows', count(sum(tables.map(({ rowsCount }) => rowsCount ?? 0)))],
          ['Storage', bytes(sum(tables.map(({ dataSizeBytes }) => dataSizeBytes ?? 0)))],
        ]}
      />
      <h2>Jobs and runs</h2>
      <Tabs
        label="How far back"
        of={[
          ['/console', '24 hours'],
          [`/console?hours=${WEEK_HOURS}`, '7 days'],
        ]}
        at={isWeek ? `/console?hours=${WEEK_HOURS}` : '/console'}
      />
      <Facts
        of={[
          ['Waiting', inAll(({ waiting }) => waiting)],
          ['Running', inAll(({ processing }) => processing)],
          ['Failed', inAll(({ error }) => error)],
          ['Rows that came in', inAll(({ rowsLoaded }) => rowsLoaded)],
          ['Read', bytes(sum(hours.map(({ bytesRead }) => bytesRead)))],
        ]}
      />
      {isQuiet ? (
        <Empty
          icon="upload"
          action={mayDrop ? <a href="/console/drop">Drop a file and get a table</a> : undefined}
        >
          Nothing happened in the last {isWeek ? '7 days' : `${DAY_HOURS} hours`}.
        </Empty>
      ) : (
        <HourChart hours={hours} />
      )}
      {!isComplete && <p class="hint">There was too much to count: the oldest hours lack some.</p>}
      {schedules.length > 0 && <Schedules of={schedules} />}
      {tables.length > 0 && <Freshness tables={tables} />}
      <h2>Newest failures</h2>
      <Failures jobs={failedJobs} runs={failedRuns} />
    </div>
  )
}

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

const WIDTH = 1_000
const HEIGHT = 160
/** Left of the bars, for the numbers; below them, for the times. */
const LEFT = 44
const BELOW = 24

/** From the bottom of a bar to its top. */
const parts = [
  ['done', 'done', (hour: Hour) => hour.success],
  ['waiting', 'waiting or under way', (hour: Hour) => hour.waiting + hour.processing],
  ['failed', 'failed', (hour: Hour) => hour.error],
] as const

const heightOf = (hour: Hour): number => sum(parts.map(([, , of]) => of(hour)))

/** A round number that is at least this one: the top of the axis. */
const roundUp = (value: number): number => {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)))
  return [2, 4, 10].map(step => step * power).find(step => step >= value) ?? 10 * power
}

/** Bars as SVG: a reader of the screen gets the numbers, and no script has to run. Hours are those of UTC. */
const HourChart = ({ hours }: { hours: readonly Hour[] }) => {
  const top = roundUp(Math.max(...hours.map(heightOf)))
  const width = (WIDTH - LEFT) / hours.length
  const every = hours.length > DAY_HOURS ? 24 : 4
  return (
    <>
      <svg
        class="chart"
        viewBox={`0 -8 ${WIDTH} ${HEIGHT + BELOW + 8}`}
        role="img"
        aria-label={labelOf(hours)}
      >
        {[0, top / 2, top].map(value => (
          <g class="axis">
            <path d={`M${LEFT} ${HEIGHT - (value / top) * HEIGHT}H${WIDTH}`} />
            <text x={LEFT - 8} y={HEIGHT - (value / top) * HEIGHT + 4} text-anchor="end">
              {count(value)}
            </text>
          </g>
        ))}
        {hours.map((hour, index) => {
          let below = 0
          const x = LEFT + index * width
          return (
            <g>
              <title>{titleOf(hour)}</title>
              {parts.map(([kind, , of]) => {
                const height = (of(hour) / top) * HEIGHT
                below += height
                return (
                  <rect
                    class={kind}
                    x={x + 1}
                    y={HEIGHT - below}
                    width={Math.max(1, width - 2)}
                    height={height}
                  />
                )
              })}
              {index % every === 0 && (
                <text x={x} y={HEIGHT + 18}>
                  {tickOf(hour, every)}
                </text>
              )}
            </g>
          )
        })}
      </svg>
      <p class="legend hint">
        {parts.map(([kind, name]) => (
          <span class={kind}>{name}</span>
        ))}
        Hours of UTC
      </p>
    </>
  )
}

const tickOf = ({ start }: Hour, every: number): string =>
  new Intl.DateTimeFormat('en-GB', {
    timeZone: 'UTC',
    ...(every === 24 ? { day: 'numeric', month: 'short' } : { hour: '2-digit', minute: '2-digit' }),
  }).format(Date.parse(start))

const titleOf = (hour: Hour): string =>
  `${hour.start}: ${parts.map(([, name, of]) => `${of(hour)} ${name}`).join(', ')}; ${hour.imports} imports, ${hour.exports} exports, ${hour.runs} runs; ${hour.rowsLoaded} rows`

const labelOf = (hours: readonly Hour[]): string =>
  `Jobs and runs of the last ${hours.length} hours: ${parts.map(([, name, of]) => `${sum(hours.map(of))} ${name}`).join(', ')}`
