import { parse } from 'csv-parse/sync'
import { eventBody } from '#lib/wire/event-body.ts'
import { indexBody } from '#lib/wire/index-body.ts'
import { type JobBody, jobBody } from '#lib/wire/job-body.ts'
import { tableOfJob } from '#lib/wire/job-results.ts'
import { profileBody } from '#lib/wire/profile-body.ts'
import { type RunBody, runBody } from '#lib/wire/run-body.ts'
import { snapshotBody } from '#lib/wire/snapshot-body.ts'
import { bucketBody, listedTableBody, type TableBody, tableBody } from '#lib/wire/table-body.ts'
import { type ApiClient, idIn, query, Refusal } from '../api-client.ts'
import type { PageRoute } from '../built.ts'
import { TableProfile } from '../views/table-parts.tsx'
import { type RowFilter, TableDetail, TableList } from '../views/tables.tsx'

const ROWS_SHOWN = 100
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

const rowsOf = async (client: ApiClient, table: TableBody, filter: RowFilter) => {
  const order =
    filter.order === '' ? {} : { 'orderBy[0][column]': filter.order, 'orderBy[0][order]': filter.direction }
  const where =
    filter.column === ''
      ? {}
      : { whereColumn: filter.column, 'whereValues[]': filter.value, whereOperator: 'eq' }
  const path = `tables/${encodeURIComponent(table.id)}/data-preview`
  const csv = await client.getText(`${path}${query({ limit: ROWS_SHOWN, ...where, ...order })}`)
  const records: string[][] = parse(csv, { relax_column_count: true })
  return { cells: records.slice(1), isCut: records.length > ROWS_SHOWN }
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
  {
    path: '/console/tables/:id',
    at,
    build: async (client, { params, query: asked }) => {
      const { column = '', value = '', order = '', direction = 'ASC' } = asked
      const filter = { column, value, order, direction }
      const path = `tables/${idIn(params)}`
      const table = await client.get(path, tableBody)
      const [rows, events, snapshots, baseUrl, loads] = await Promise.all([
        orProblem(rowsOf(client, table, filter)),
        client.list(`${path}/events${query({ limit: EVENTS_SHOWN })}`, eventBody),
        client.list(`${path}/snapshots`, snapshotBody),
        baseUrlOf(client),
        loadsOf(client, table),
      ])
      const runs = await runsOf(client, loads)
      const props = { table, filter, rows, events, snapshots, baseUrl, loads, runs }
      return { title: table.id, body: <TableDetail {...props} /> }
    },
  },
  {
    path: '/console/tables/:id/profile',
    at,
    build: async (client, { params }) => {
      const profile = await orProblem(client.get(`tables/${idIn(params)}/profile`, profileBody))
      const { id = '' } = params
      return { title: `Profile of ${id}`, body: <TableProfile id={id} profile={profile} /> }
    },
  },
]
