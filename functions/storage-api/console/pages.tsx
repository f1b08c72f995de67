import { parse } from 'csv-parse/sync'
import { z } from 'zod'
import { type ApiClient, idIn, query, Refusal } from './api-client.ts'
import type { PageRoute } from './built.ts'
import { jobsByHour } from './jobs-by-hour.ts'
import {
  bucketSchema,
  componentSchema,
  configurationSchema,
  deadLetterSchema,
  eventSchema,
  fileSchema,
  jobSchema,
  runSchema,
  type Table,
  tableSchema,
  versionContentSchema,
  versionSchema,
} from './schemas.ts'
import { tokensPage } from './tokens-page.tsx'
import { ConfigurationDetail, ConfigurationList, VersionComparison } from './views/configurations.tsx'
import { DeadLetterList } from './views/dead-letters.tsx'
import { Drop } from './views/drop.tsx'
import { EventSearch } from './views/events.tsx'
import { FileDetail, FileList } from './views/files.tsx'
import { JobDetail, JobList } from './views/jobs.tsx'
import { Overview } from './views/overview.tsx'
import { RunList } from './views/runs.tsx'
import { SearchResults, searchSchema } from './views/search.tsx'
import { type RowFilter, TableDetail, TableList } from './views/tables.tsx'

const JOBS_SHOWN = 100
const ROWS_SHOWN = 100
const EVENTS_SHOWN = 50
const HOURS_SHOWN = 24

const jobs = (client: ApiClient, limit = JOBS_SHOWN) =>
  client.get(`jobs${query({ limit })}`, z.array(jobSchema))

const events = (client: ApiClient, q: string) =>
  client.get(`events${query({ limit: EVENTS_SHOWN, q })}`, z.array(eventSchema))

const overview = async (client: ApiClient, now: Date) => {
  const [tables, recent] = await Promise.all([
    client.get('tables?include=', z.array(tableSchema)),
    jobs(client),
  ])
  return <Overview tables={tables} jobs={recent} hours={jobsByHour(recent, now, HOURS_SHOWN)} />
}

const runList = async (client: ApiClient) => (
  <RunList runs={await client.get(`runs${query({ limit: EVENTS_SHOWN })}`, z.array(runSchema))} />
)

const rowsOf = async (client: ApiClient, table: Table, filter: RowFilter) => {
  const order =
    filter.order === '' ? {} : { 'orderBy[0][column]': filter.order, 'orderBy[0][order]': filter.direction }
  const where =
    filter.column === ''
      ? {}
      : { whereColumn: filter.column, 'whereValues[]': filter.value, whereOperator: 'eq' }
  try {
    const path = `tables/${encodeURIComponent(table.id)}/data-preview`
    const csv = await client.getText(`${path}${query({ limit: ROWS_SHOWN, ...where, ...order })}`)
    const records: string[][] = parse(csv, { relax_column_count: true })
    return { cells: records.slice(1), isCut: records.length > ROWS_SHOWN }
  } catch (error) {
    if (error instanceof Refusal && error.status < 500) return { problem: error.message }
    throw error
  }
}

const configurationOf = (client: ApiClient, { component = '', id = '' }: Record<string, string>) =>
  client.get(configurationPath(component, id), configurationSchema)

export const configurationPath = (component: string, id: string): string =>
  `components/${encodeURIComponent(component)}/configs/${encodeURIComponent(id)}`

/** The page of a configuration, with what was sent and refused in its editor. */
export const configurationPage = async (
  client: ApiClient,
  params: Record<string, string>,
  draft?: { text: string; problem: string },
) => {
  const { component = '', id = '' } = params
  const [configuration, versions] = await Promise.all([
    configurationOf(client, params),
    client.get(`${configurationPath(component, id)}/versions`, z.array(versionSchema)),
  ])
  return {
    title: configuration.name || configuration.id,
    body: (
      <ConfigurationDetail
        componentId={component}
        configuration={configuration}
        versions={versions}
        draft={draft}
      />
    ),
  }
}

const COMPONENT_PATH = '/console/configurations/:component/:id'

export const pages: readonly PageRoute[] = [
  {
    path: '/console',
    at: '/console',
    build: async (client, { now }) => ({ title: 'Overview', body: await overview(client, now) }),
  },
  {
    path: '/console/live',
    at: '/console',
    build: async (client, { now }) => ({ fragment: await overview(client, now) }),
  },
  {
    path: '/console/tables',
    at: '/console/tables',
    build: async client => {
      const [buckets, tables] = await Promise.all([
        client.get('buckets', z.array(bucketSchema)),
        client.get('tables?include=', z.array(tableSchema)),
      ])
      return { title: 'Tables', body: <TableList buckets={buckets} tables={tables} /> }
    },
  },
  {
    path: '/console/tables/:id',
    at: '/console/tables',
    build: async (client, { params, query: asked }) => {
      const id = params['id'] ?? ''
      const { column = '', value = '', order = '', direction = 'ASC' } = asked
      const filter = { column, value, order, direction }
      const table = await client.get(`tables/${encodeURIComponent(id)}`, tableSchema)
      const [rows, history] = await Promise.all([
        rowsOf(client, table, filter),
        client.get(
          `tables/${encodeURIComponent(id)}/events${query({ limit: EVENTS_SHOWN })}`,
          z.array(eventSchema),
        ),
      ])
      return { title: id, body: <TableDetail table={table} filter={filter} rows={rows} events={history} /> }
    },
  },
  {
    path: '/console/drop',
    at: '/console/drop',
    build: async (client, { query: { table = '' } }) => {
      const buckets = await client.get('buckets', z.array(bucketSchema))
      return { title: 'Drop a file', body: <Drop buckets={buckets.map(({ id }) => id)} tableId={table} /> }
    },
  },
  {
    path: '/console/jobs',
    at: '/console/jobs',
    build: async client => ({
      title: 'Jobs',
      body: <JobList jobs={await jobs(client)} live="/console/jobs/live" />,
    }),
  },
  {
    path: '/console/jobs/live',
    at: '/console/jobs',
    build: async client => ({ fragment: <JobList jobs={await jobs(client)} live="/console/jobs/live" /> }),
  },
  {
    path: '/console/jobs/:id',
    at: '/console/jobs',
    build: async (client, { params }) => {
      const job = await client.get(`jobs/${idIn(params)}`, jobSchema)
      return { title: `Job ${job.id}`, body: <JobDetail job={job} /> }
    },
  },
  {
    path: '/console/jobs/:id/live',
    at: '/console/jobs',
    build: async (client, { params }) => ({
      fragment: <JobDetail job={await client.get(`jobs/${idIn(params)}`, jobSchema)} />,
    }),
  },
  {
    path: '/console/runs',
    at: '/console/runs',
    build: async client => ({ title: 'Runs', body: await runList(client) }),
  },
  {
    path: '/console/runs/live',
    at: '/console/runs',
    build: async client => ({ fragment: await runList(client) }),
  },
  {
    path: '/console/dead-letters',
    at: '/console/dead-letters',
    build: async client => ({
      title: 'Dead letters',
      body: <DeadLetterList letters={await client.get('dead-letters', z.array(deadLetterSchema))} />,
    }),
  },
  {
    path: '/console/configurations',
    at: '/console/configurations',
    build: async client => {
      const components = await client.get('components?include=configuration,rows', z.array(componentSchema))
      return { title: 'Configurations', body: <ConfigurationList components={components} /> }
    },
  },
  {
    path: COMPONENT_PATH,
    at: '/console/configurations',
    build: (client, { params }) => configurationPage(client, params),
  },
  {
    path: `${COMPONENT_PATH}/versions/:version`,
    at: '/console/configurations',
    build: async (client, { params }) => {
      const { component = '', id = '', version = '' } = params
      const [current, old] = await Promise.all([
        configurationOf(client, params),
        client.get(
          `${configurationPath(component, id)}/versions/${encodeURIComponent(version)}`,
          versionContentSchema,
        ),
      ])
      return {
        title: `${current.name || id}: version ${version}`,
        body: <VersionComparison componentId={component} old={old} current={current} />,
      }
    },
  },
  {
    path: '/console/files',
    at: '/console/files',
    build: async (client, { query: { q = '' } }) => {
      const files = await client.get(`files${query({ q, limit: JOBS_SHOWN })}`, z.array(fileSchema))
      return { title: 'Files', body: <FileList q={q} files={files} /> }
    },
  },
  {
    path: '/console/files/:id',
    at: '/console/files',
    build: async (client, { params }) => {
      const file = await client.get(`files/${idIn(params)}`, fileSchema)
      return { title: `File ${file.id}`, body: <FileDetail file={file} /> }
    },
  },
  {
    path: '/console/events',
    at: '/console/events',
    build: async (client, { query: { q = '' } }) => ({
      title: 'Events',
      body: <EventSearch q={q} events={await events(client, q)} />,
    }),
  },
  {
    path: '/console/tokens',
    at: '/console/tokens',
    build: client => tokensPage(client),
  },
  {
    path: '/console/search',
    at: '',
    build: async (client, { query: { q = '' } }) => ({
      title: `Search: ${q}`,
      body: (
        <SearchResults
          found={await client.get(`global-search${query({ query: q, limit: EVENTS_SHOWN })}`, searchSchema)}
        />
      ),
    }),
  },
]
