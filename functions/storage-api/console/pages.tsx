import { GetObjectCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { z } from 'zod'
import { readManifest } from '../../lib/storage/files/read-manifest.ts'
import { s3WithCredentials } from '../../lib/storage-client/s3-with-credentials.ts'
import { listedComponentBody } from '../../lib/wire/component-body.ts'
import { configurationBody, scheduleBody } from '../../lib/wire/configuration-body.ts'
import { deadLetterBody } from '../../lib/wire/dead-letter-body.ts'
import { eventBody } from '../../lib/wire/event-body.ts'
import { fileBody, readableFileBody } from '../../lib/wire/file-body.ts'
import { jobBody } from '../../lib/wire/job-body.ts'
import { runBody } from '../../lib/wire/run-body.ts'
import { searchBody } from '../../lib/wire/search-body.ts'
import { bucketBody, listedTableBody } from '../../lib/wire/table-body.ts'
import { type ApiClient, idIn, query, Refusal } from './api-client.ts'
import type { PageRoute } from './built.ts'
import { configurationPages, configurationPath } from './pages/configurations.tsx'
import { queryPages } from './pages/query.tsx'
import { tablePages } from './pages/tables.tsx'
import { workPages } from './pages/work.tsx'
import { mayLoad } from './person.ts'
import { tokensPage } from './tokens-page.tsx'
import { Drop } from './views/drop.tsx'
import { CHANGES_ONLY, EventSearch } from './views/events.tsx'
import { FileDetail, FileList } from './views/files.tsx'
import { isLate, type Scheduled } from './views/freshness.tsx'
import { Overview } from './views/overview.tsx'
import { PaletteOptions, SearchResults } from './views/search.tsx'

const JOBS_LOOKED_AT = 100
const SCHEDULES_SHOWN = 20
const EVENTS_SHOWN = 50
const FILES_SHOWN = 100

const events = (client: ApiClient, q: string) =>
  client.list(`events${query({ limit: EVENTS_SHOWN, q: q || CHANGES_ONLY })}`, eventBody)

const search = (client: ApiClient, q: string) =>
  client.get(`global-search${query({ query: q, limit: EVENTS_SHOWN })}`, searchBody)

/** Nothing where the token may not look. */
const orNone = async <Found,>(asked: Promise<Found[]>): Promise<Found[]> => {
  try {
    return await asked
  } catch (error) {
    if (error instanceof Refusal && error.status === 403) return []
    throw error
  }
}

/** Configurations with a clock that is armed, each with its newest run. Schedules and runs are found by their own lists. */
const schedulesOf = async (client: ApiClient, now: Date): Promise<Scheduled[]> => {
  const components = await orNone(client.list('components', listedComponentBody))
  const lists = await Promise.all(
    components.map(async ({ id: componentId }) => {
      const path = `components/${encodeURIComponent(componentId)}/configs?hasSchedule=1&limit=${SCHEDULES_SHOWN}`
      const found = await client.list(path, configurationBody)
      return found.filter(({ isDisabled }) => !isDisabled).map(one => ({ componentId, ...one }))
    }),
  )
  const clocked = lists.flat().slice(0, SCHEDULES_SHOWN)
  const found = await Promise.all(
    clocked.map(async ({ componentId, id, name }) => {
      const path = configurationPath({ component: componentId, id })
      const schedule = await client.get(`${path}/schedule?count=1`, scheduleBody)
      const [next] = schedule.nextTimes
      if (!schedule.isActive || next === undefined) return []
      const [last] = await client.list(`runs${query({ componentId, configId: id, limit: 1 })}`, runBody)
      return [
        { componentId, configId: id, name: name || id, last, next, isLate: isLate(last, schedule, now) },
      ]
    }),
  )
  return found.flat()
}

const overview = async (client: ApiClient, now: Date) => {
  const [tables, jobs, runs, letters] = await Promise.all([
    client.list('tables?include=', listedTableBody),
    // All of them, not those that failed: a list of failures would read all jobs ever where nothing fails.
    client.list(`jobs${query({ limit: JOBS_LOOKED_AT })}`, jobBody),
    client.list(`runs${query({ limit: JOBS_LOOKED_AT })}`, runBody),
    orNone(client.list(`dead-letters${query({ limit: JOBS_LOOKED_AT })}`, deadLetterBody)),
  ])
  const failedJobs = jobs.filter(
    ({ status, operationName }) => status === 'error' && operationName !== 'configurationRun',
  )
  const props = {
    tables,
    failedJobs,
    failedRuns: runs.filter(({ status }) => status === 'error'),
    letters: letters.filter(({ closed }) => closed === null).length,
    schedules: await schedulesOf(client, now),
    mayDrop: mayLoad(await client.person()),
  }
  return <Overview {...props} />
}

export const pages: readonly PageRoute[] = [
  {
    path: '/console',
    at: '/console',
    build: async (client, { now }) => ({
      title: 'Overview',
      body: await overview(client, now),
    }),
  },
  {
    path: '/console/live',
    at: '/console',
    build: async (client, { now }) => ({ fragment: await overview(client, now) }),
  },
  ...tablePages,
  ...queryPages,
  {
    path: '/console/drop',
    at: '/console/drop',
    build: async (client, { query: { table = '' } }) => {
      const buckets = await client.list('buckets', bucketBody)
      return { title: 'Drop a file', body: <Drop buckets={buckets.map(({ id }) => id)} tableId={table} /> }
    },
  },
  ...workPages,
  ...configurationPages,
  {
    path: '/console/files',
    at: '/console/files',
    build: async (client, { query: { q = '' } }) => {
      const files = await client.list(`files${query({ q, limit: FILES_SHOWN })}`, fileBody)
      return { title: 'Files', body: <FileList q={q} files={files} /> }
    },
  },
  {
    path: '/console/files/:id',
    at: '/console/files',
    build: async (client, { params, query: { job } }) => {
      const file = await client.get(`files/${idIn(params)}`, fileBody)
      const slices = file.isSliced ? await sliceLinks(client, file.id) : { links: [], slices: 0 }
      const columns = await exportColumns(client, file.id, job)
      return {
        title: file.name || `File ${file.id}`,
        body: <FileDetail file={file} slices={slices} columns={columns} />,
      }
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
      title: 'Search',
      body: <SearchResults q={q} found={q === '' ? undefined : await search(client, q)} />,
    }),
  },
  {
    path: '/console/palette',
    at: '',
    build: async (client, { query: { q = '' } }) => {
      const found = q.trim() === '' ? [] : (await search(client, q)).items
      return { fragment: <PaletteOptions q={q} found={found} /> }
    },
  },
]

const EXPIRES_SECONDS = 3600
/** More are for the command line, which puts them together. */
const LINKS_SHOWN = 100

interface SliceLinks {
  /** Signed addresses, in order, each valid for an hour. */
  links: string[]
  slices: number
}

/** Where a browser gets the slices of a sliced file, with the rights that the caller has on it. */
const sliceLinks = async (client: ApiClient, fileId: number): Promise<SliceLinks> => {
  const access = await client.get(`files/${fileId}${query({ federationToken: 1 })}`, readableFileBody)
  const s3 = s3WithCredentials(access.region, access.credentials)
  try {
    const slices = await readManifest(s3, access.s3Path.bucket, access.s3Path.key)
    const links = slices.slice(0, LINKS_SHOWN).map(({ bucket, key }) => {
      const disposition = `attachment; filename="${key.split('/').at(-1)?.replaceAll('"', '') ?? 'slice'}"`
      const get = new GetObjectCommand({ Bucket: bucket, Key: key, ResponseContentDisposition: disposition })
      return getSignedUrl(s3, get, { expiresIn: EXPIRES_SECONDS })
    })
    return { links: await Promise.all(links), slices: slices.length }
  } finally {
    s3.destroy()
  }
}

/** An export of rows without their time of load, which would be a column more. */
const exportJob = z.object({
  results: z.object({ file: z.object({ id: z.number() }) }),
  operationParams: z.object({
    export: z.object({ columns: z.array(z.string()), includeInternalTimestamp: z.literal(false) }),
  }),
})

/** The columns of a file, as the job that exported it says; none when that is another job. */
const exportColumns = async (client: ApiClient, fileId: number, jobId = ''): Promise<string[]> => {
  if (!/^\d+$/.test(jobId)) return []
  const { data } = exportJob.safeParse(await client.get(`jobs/${jobId}`, z.unknown()))
  return data?.results.file.id === fileId ? data.operationParams.export.columns : []
}
