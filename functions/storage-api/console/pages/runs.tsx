import * as z from 'zod/mini'
import { rowsText } from '#lib/wire/job-results.ts'
import { type RowResult, type RunBody, rowResult, runBody, shownStatus } from '#lib/wire/run-body.ts'
import { path } from '../api-client.ts'
import { configurationNames, nameIn } from '../configuration-names.ts'
import { count, counted, readable, spent } from '../format.ts'
import { Act } from '../forms.tsx'
import { ConfigurationLink, configurationPath, runPath, TableLink } from '../links.tsx'
import { Facts, Problem, Status, Time } from '../parts.tsx'
import { Outcomes } from '../preview.tsx'
import { page } from '../route.ts'
import { CancelButton } from './jobs.tsx'

export const runPages = [
  page('/console/runs', async () => ({ redirect: '/console/jobs' })),
  page('/console/runs/:id', async ({ client, params: { id } }) => {
    const run = await client.get(path`runs/${id}`, runBody)
    const { componentId, configId } = run
    const names = await configurationNames(client, [run])
    return {
      title: `Run of ${nameIn(names, run)}`,
      live: run.endTime === null ? 2 : undefined,
      action:
        run.status === 'error' ? (
          <Act to={`${configurationPath(componentId, configId)}/run`} verb="Run again" look="btn-primary" />
        ) : undefined,
      body: <RunDetail run={run} />,
    }
  }),
]

const RunDetail = ({ run }: { run: RunBody }) => {
  const { rows } = run.results ?? {}
  return (
    <div aria-live="polite">
      {run.error !== null && <Problem code={run.error.code}>{run.error.message}</Problem>}
      <Facts
        of={[
          ['Status', <Status value={shownStatus(run)} />],
          ['Configuration', <ConfigurationLink of={run} />],
          ['Started by', run.trigger || 'a person'],
          ['Begun', <Time at={run.startTime} />],
          ['Ended', <Time at={run.endTime} />],
          ['Took', run.durationSeconds === null ? '–' : spent(run.durationSeconds)],
          ['Rows', count(run.rowsLoaded)],
          ['Requests', count(run.requests)],
        ]}
      />
      {run.progress && <Progress progress={run.progress} />}
      {run.endTime === null && <CancelButton of={runPath(run.id)} />}
      {Array.isArray(rows) && rows.map((row: unknown) => <RowOfRun row={row} />)}
    </div>
  )
}

/** What its extractor said last of the row that it reads. */
const Progress = ({ progress }: { progress: NonNullable<RunBody['progress']> }) => {
  const { row, rowsCount, rowName } = progress
  return (
    <Facts
      of={[
        ['Reads', `${rowName || 'the configuration'}${rowsCount > 1 ? `, ${row} of ${rowsCount}` : ''}`],
        ['Leg', count(progress.leg)],
        ['Pages', count(progress.pages)],
        ['Rows so far', count(progress.rows)],
        ['Requests', count(progress.requests)],
        ['Sent again', count(progress.retries)],
        ['Waited', spent(progress.waitedSeconds)],
        ['As of', <Time at={progress.at} />],
      ]}
    />
  )
}

/** What a row of the configuration did: why each job ended, which tables it loaded, what its author should know. */
const RowOfRun = ({ row }: { row: unknown }) => {
  const read = rowResult.safeParse(row)
  return (
    <section class="panel">
      {read.success ? (
        <Row row={read.data} />
      ) : (
        <>
          <Problem>This row of the run cannot be shown. {z.prettifyError(read.error)}</Problem>
          <pre>{readable(row)}</pre>
        </>
      )}
    </section>
  )
}

const Row = ({ row }: { row: RowResult }) => (
  <>
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
    {row.error !== undefined && <Problem code={row.error.code}>{row.error.message}</Problem>}
    {row.warnings.map(warning => (
      <p class="hint">{warning}</p>
    ))}
    <Outcomes jobs={row.jobs} />
    {row.tables.length > 0 && (
      <ul>
        {row.tables.map(({ tableId, rows, replacedRows = 0 }) => (
          <li>
            <TableLink id={tableId} />: {rowsText(rows, replacedRows)}
          </li>
        ))}
      </ul>
    )}
  </>
)
