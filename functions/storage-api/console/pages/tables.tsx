import type { Child } from 'hono/jsx'
import { eventBody } from '#lib/wire/event-body.ts'
import { fileBody } from '#lib/wire/file-body.ts'
import { indexBody } from '#lib/wire/index-body.ts'
import { type JobBody, jobBody } from '#lib/wire/job-body.ts'
import { tableOfJob } from '#lib/wire/job-results.ts'
import { queryFileBody } from '#lib/wire/query-body.ts'
import { type RunBody, runBody } from '#lib/wire/run-body.ts'
import { snapshotBody } from '#lib/wire/snapshot-body.ts'
import { bucketBody, listedTableBody, type TableBody, tableBody } from '#lib/wire/table-body.ts'
import { type ApiClient, idIn, query, Refusal } from '../api-client.ts'
import type { Built, PageRoute } from '../built.ts'
import { Empty } from '../layout.tsx'
import { mayWrite } from '../person.ts'
import { readChoice } from '../row-filters.ts'
import { readRows } from '../table-rows.ts'
import { CHANGES_ONLY, EventList } from '../views/events.tsx'
import { Attach, ChangeTable, Origin, Snapshots } from '../views/table-parts.tsx'
import { Rows, RowsPage } from '../views/table-rows.tsx'
import { TableActions, TableFacts, TableList, TableTabs } from '../views/tables.tsx'

const EVENTS_SHOWN = 50
const LOADS_SHOWN = 20
const RUNS_LOOKED_AT = 5

const at = '/console/tables'

/** What an API refuses is shown on the page, beside all the rest of it. */
const orProblem = async <Found,>(asked: Promise<Found>): Promise<Found | { problem: string }> => {
  try {
    return await asked
  } catch (error) {
    if (error instanceof Refusal && error.status < 500) return { problem: error.message }
    throw error
  }
}

const loadsOf = async (client: ApiClient, table: TableBody): Promise<JobBody[]> => {
  const jobs = await client.list(`jobs${query({ limit: 100 })}`, jobBody)
  const isLoad = (job: JobBody): boolean =>
    (job.operationName === 'tableImport' || job.operationName === 'tableCreate') &&
    tableOfJob(job) === table.id
  return jobs.filter(isLoad).slice(0, LOADS_SHOWN)
}

/** The runs of configurations that jobs were part of. A run that is forgotten, or none of ours, is left out. */
const runsOf = async (client: ApiClient, jobs: readonly JobBody[]): Promise<RunBody[]> => {
  const ids = [...new Set(jobs.flatMap(({ runId }) => runId ?? []))].slice(0, RUNS_LOOKED_AT)
  const found = await Promise.all(
    ids.map(id => orProblem(client.get(`runs/${encodeURIComponent(id)}`, runBody))),
  )
  return found.flatMap(run => ('problem' in run ? [] : [run]))
}

/** Of the storage API, as the caller reached it. */
const baseUrlOf = async (client: ApiClient): Promise<string> => {
  const { services } = await client.get('?exclude=components', indexBody)
  return services.find(({ id }) => id === 'import')?.url ?? ''
}

/** A page of one table, with the way to its others. */
const tablePage = (
  end: string,
  name: string,
  build: (
    client: ApiClient,
    table: TableBody,
    asked: { query: Readonly<Record<string, string>>; mayChange: boolean },
  ) => Promise<Child>,
): PageRoute => ({
  path: `/console/tables/:id${end}`,
  at,
  build: async (client, { params, query }) => {
    const table = await client.get(`tables/${idIn(params)}`, tableBody)
    const mayChange = mayWrite(await client.person(), table.id)
    const body = await build(client, table, { query, mayChange })
    return {
      title: end === '' ? table.id : `${table.id}: ${name.toLowerCase()}`,
      action: <TableActions table={table} mayChange={mayChange} />,
      body: (
        <>
          <TableTabs table={table} at={end} mayChange={mayChange} />
          {body}
        </>
      ),
    }
  },
})

/** The whole table as one file; by a job where it is too much for a request. */
const download = async (
  client: ApiClient,
  params: Record<string, string>,
  format: string,
): Promise<Built> => {
  const { id, name, columns } = await client.get(`tables/${idIn(params)}`, tableBody)
  const quoted = columns.map(column => `"${column.replaceAll('"', '""')}"`)
  const sql = `SELECT ${quoted.join(', ')} FROM "${id}"`
  const made = await orProblem(client.send('POST', 'query', { sql, format, name }, queryFileBody))
  if (!('problem' in made)) return { redirect: (await client.get(`files/${made.file.id}`, fileBody)).url }
  const fields = format === 'parquet' ? { fileType: 'parquet' } : format === 'jsonl' ? { format: 'json' } : {}
  const job = await client.send('POST', `tables/${idIn(params)}/export-async`, fields, jobBody)
  return { redirect: `/console/jobs/${job.id}` }
}

export const tablePages: readonly PageRoute[] = [
  {
    path: '/console/tables',
    at,
    build: async client => {
      const [buckets, tables] = await Promise.all([
        client.list('buckets', bucketBody),
        client.list('tables?include=', listedTableBody),
      ])
      return { title: 'Tables', body: <TableList buckets={buckets} tables={tables} /> }
    },
  },
  tablePage('', 'Rows', async (client, table, { query: asked, mayChange }) => {
    const choice = readChoice(asked)
    return (
      <>
        <TableFacts table={table} />
        <RowsPage
          table={table}
          choice={choice}
          found={await readRows(client, table, choice)}
          mayChange={mayChange}
        />
      </>
    )
  }),
  {
    path: '/console/tables/:id/rows/live',
    at,
    build: async (client, { params }) => {
      const table = await client.get(`tables/${idIn(params)}`, tableBody)
      const choice = readChoice({})
      const found = await readRows(client, table, choice)
      return { fragment: 'problem' in found ? '' : <Rows table={table} choice={choice} found={found} /> }
    },
  },
  tablePage('/history', 'History', async (client, table) => {
    const [events, loads] = await Promise.all([
      client.list(
        `tables/${encodeURIComponent(table.id)}/events${query({ limit: EVENTS_SHOWN, q: CHANGES_ONLY })}`,
        eventBody,
      ),
      loadsOf(client, table),
    ])
    return (
      <>
        <h2>Where its rows come from</h2>
        <Origin jobs={loads} runs={await runsOf(client, loads)} />
        <h2>Events</h2>
        <EventList events={events} />
      </>
    )
  }),
  tablePage('/snapshots', 'Snapshots', async (client, table, { mayChange }) => (
    <Snapshots
      table={table}
      mayChange={mayChange}
      snapshots={await client.list(`tables/${encodeURIComponent(table.id)}/snapshots`, snapshotBody)}
    />
  )),
  tablePage('/engines', 'Other engines', async (client, table) => (
    <Attach table={table} baseUrl={await baseUrlOf(client)} />
  )),
  tablePage('/settings', 'Settings', async (_, table, { mayChange }) =>
    mayChange ? (
      <ChangeTable table={table} />
    ) : (
      <Empty icon="key">
        Your token may read this table. To change it takes the right to write its bucket.
      </Empty>
    ),
  ),
  {
    path: '/console/tables/:id/download',
    at,
    build: (client, { params, query: { format = 'csv' } }) => download(client, params, format),
  },
]
