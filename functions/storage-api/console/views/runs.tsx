import * as z from 'zod/mini'
import type { JobBody } from '#lib/wire/job-body.ts'
import { rowsText } from '#lib/wire/job-results.ts'
import { type JobOutcome, type RowResult, type RunBody, rowResult, shownStatus } from '#lib/wire/run-body.ts'
import { count, counted, readable, spent } from '../format.ts'
import { Facts, Grid, Problem } from '../layout.tsx'
import { Status, Time } from '../parts.tsx'
import { CancelButton, pathOf, runPath, tablePath } from './links.tsx'

interface RunDetailProps {
  run: RunBody
}

/** One run; asks for itself again until it is over. */
export const RunDetail = ({ run }: RunDetailProps) => {
  const path = runPath(run.id)
  const live =
    run.status === 'processing'
      ? {
          'hx-get': `${path}/live`,
          'hx-trigger': 'every 2s',
          'hx-swap': 'outerHTML',
        }
      : {}
  const { rows } = run.results ?? {} // anybody may start the machine, with any result
  const asked = /^job (\d+)$/.exec(run.trigger ?? '')?.[1]
  return (
    <div {...live} aria-live="polite">
      {run.error !== null && (
        <Problem>
          {run.error.message} <code>{run.error.code}</code>
        </Problem>
      )}
      <Facts
        of={[
          ['Status', <Status value={shownStatus(run)} />],
          [
            'Configuration',
            <a href={pathOf(run.componentId, run.configId)}>
              {run.componentId}/{run.configId}
            </a>,
          ],
          [
            'Started by',
            asked === undefined ? (
              run.trigger || 'a person'
            ) : (
              <a href={`/console/jobs/${asked}`}>{run.trigger}</a>
            ),
          ],
          ['Begun', <Time at={run.startTime} />],
          ['Ended', <Time at={run.endTime} />],
          ['Took', run.durationSeconds === null ? '–' : spent(run.durationSeconds)],
          ['Rows', count(run.rowsLoaded)],
          ['Requests', count(run.requests)],
        ]}
      />
      {run.progress && <Progress progress={run.progress} />}
      {run.status === 'processing' && <CancelButton of="runs" id={run.id} />}
      {Array.isArray(rows) && rows.map((row: unknown) => <RowOfRun row={row} />)}
    </div>
  )
}

/** What its extractor said last of the row that it reads. */
const Progress = ({ progress }: { progress: NonNullable<RunBody['progress']> }) => {
  const { row, rowsCount, rowName, leg, pages, rows, requests, requestLimit, retries, waitedSeconds, at } =
    progress
  return (
    <Facts
      of={[
        ['Reads', `${rowName || 'the configuration'}${rowsCount > 1 ? `, ${row} of ${rowsCount}` : ''}`],
        ['Leg', count(leg)],
        ['Pages', count(pages)],
        ['Rows so far', count(rows)],
        ['Requests', count(requests) + (requestLimit === undefined ? '' : ` of ${count(requestLimit)}`)],
        ['Sent again', count(retries)],
        ['Waited', spent(waitedSeconds)],
        ['As of', <Time at={at} />],
      ]}
    />
  )
}

/** In place of a run whose machine has not begun. Asks for itself again, until the run is there. */
export const RunToCome = ({ job }: { job: JobBody }) => {
  const isOver = job.status === 'success' || job.status === 'error'
  return (
    <div
      {...(!isOver && {
        'hx-get': `${runPath(`run-${job.id}`)}/live`,
        'hx-trigger': 'every 1s',
        'hx-swap': 'outerHTML',
      })}
      aria-live="polite"
    >
      {job.error === undefined ? (
        <p>
          <Status value="waiting" /> The run begins.
        </p>
      ) : (
        <Problem>
          {job.error.message} <code>{job.error.code}</code>
        </Problem>
      )}
      <p>
        <a href={`/console/jobs/${job.id}`}>The job that asked for it</a>
      </p>
    </div>
  )
}

/** What a row of the configuration did: why each job ended, which tables it loaded, what its author should know. */
const RowOfRun = ({ row }: { row: unknown }) => {
  const read = rowResult.safeParse(row)
  if (read.success) return <Row row={read.data} />
  return (
    <section class="panel">
      <Problem>This row of the run cannot be shown. {z.prettifyError(read.error)}</Problem>
      <pre>{readable(row)}</pre>
    </section>
  )
}

const Row = ({ row }: { row: RowResult }) => (
  <section class="panel">
    <h2>
      {row.name || row.id || 'Configuration'}:{' '}
      <Status value={row.status === 'success' && row.warnings.length > 0 ? 'warned' : row.status} />
    </h2>
    <p>
      {spent(row.seconds)}, {counted(row.requests, 'request')}, {counted(row.rowsLoaded, 'row')},{' '}
      {counted(row.legs, 'leg')}
      {row.limitWaitSeconds !== undefined &&
        `, ${count(row.limitWaitSeconds)} s of waiting for the limits of the API`}
    </p>
    {row.error !== undefined && (
      <Problem>
        {row.error.message} <code>{row.error.code}</code>
      </Problem>
    )}
    {row.warnings.map(warning => (
      <p class="hint">{warning}</p>
    ))}
    <JobsOfExtraction jobs={row.jobs} />
    {row.tables.length > 0 && (
      <ul>
        {row.tables.map(({ tableId, rows, replacedRows = 0 }) => (
          <li>
            <a href={tablePath(tableId)}>{tableId}</a>: {rowsText(rows, replacedRows)}
          </li>
        ))}
      </ul>
    )}
  </section>
)

/** Requests of a configuration with their pages, and why each ended. */
export const JobsOfExtraction = ({ jobs }: { jobs: readonly JobOutcome[] }) =>
  jobs.length === 0 ? null : (
    <Grid
      caption="Jobs of the extraction"
      head={['Job', 'Endpoint', 'Data type', { number: 'Pages' }, { number: 'Rows' }, 'Why it ended']}
    >
      {jobs.map(({ job, endpoint, dataType, pages, rows, ended }) => (
        <tr>
          <th scope="row">{job}</th>
          <td>{endpoint}</td>
          <td>{dataType}</td>
          <td class="number">{count(pages)}</td>
          <td class="number">{count(rows)}</td>
          <td class="cell">
            {Object.entries(ended)
              .map(([reason, times]) => (times === 1 ? reason : `${reason} (${times} times)`))
              .join('; ') || readable(ended)}
          </td>
        </tr>
      ))}
    </Grid>
  )
