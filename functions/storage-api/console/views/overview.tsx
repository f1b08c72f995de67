import { bytes, count } from '../format.ts'
import { Empty, Facts } from '../layout.tsx'
import type { Job, Table } from '../schemas.ts'
import { JobTable } from './jobs.tsx'

interface OverviewProps {
  tables: readonly Table[]
  jobs: readonly Job[]
  /** From when on jobs were counted, in milliseconds since 1970; bars are hours. */
  hours: readonly { start: string; done: number; failed: number }[]
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

/** What came in, what waits, what failed. Asks for itself again while it is open. */
export const Overview = ({ tables, jobs, hours }: OverviewProps) => (
  <div hx-get="/console/live" hx-trigger="every 5s" hx-swap="outerHTML">
    <Facts
      of={[
        ['Tables', count(tables.length)],
        ['Rows', count(sum(tables.map(({ rowsCount }) => rowsCount)))],
        ['Storage', bytes(sum(tables.map(({ dataSizeBytes }) => dataSizeBytes)))],
        ['Waiting', count(jobs.filter(({ status }) => status === 'waiting').length)],
        ['Under way', count(jobs.filter(({ status }) => status === 'processing').length)],
        ['Failed', count(jobs.filter(({ status }) => status === 'error').length)],
      ]}
    />
    <h2>Jobs by hour</h2>
    {jobs.length === 0 ? (
      <Empty>
        No job yet. <a href="/console/drop">Drop a file</a> and get a table.
      </Empty>
    ) : (
      <HourChart hours={hours} />
    )}
    <h2>Newest failures</h2>
    <Failures jobs={jobs.filter(({ status }) => status === 'error').slice(0, FAILURES_SHOWN)} />
  </div>
)

const FAILURES_SHOWN = 8

const Failures = ({ jobs }: { jobs: readonly Job[] }) =>
  jobs.length === 0 ? <Empty>None.</Empty> : <JobTable jobs={jobs} />

const WIDTH = 12
const HEIGHT = 80

/** Bars as SVG: a reader of the screen gets the numbers, and no script has to run. */
const HourChart = ({ hours }: Pick<OverviewProps, 'hours'>) => {
  const highest = Math.max(1, ...hours.map(({ done, failed }) => done + failed))
  const scale = HEIGHT / highest
  return (
    <svg
      class="chart"
      viewBox={`0 0 ${hours.length * WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={labelOf(hours)}
    >
      {hours.map(({ start, done, failed }, index) => (
        <g>
          <title>{`${start}: ${done} done, ${failed} failed`}</title>
          <rect
            class="done"
            x={index * WIDTH}
            y={HEIGHT - done * scale}
            width={WIDTH - 2}
            height={done * scale}
          />
          <rect
            class="failed"
            x={index * WIDTH}
            y={HEIGHT - (done + failed) * scale}
            width={WIDTH - 2}
            height={failed * scale}
          />
        </g>
      ))}
    </svg>
  )
}

const labelOf = (hours: OverviewProps['hours']): string =>
  `Jobs of the last ${hours.length} hours: ${sum(hours.map(({ done }) => done))} done, ${sum(hours.map(({ failed }) => failed))} failed`
