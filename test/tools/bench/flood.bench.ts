import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { figure, median } from './figure.ts'
import { startCloud } from './start-cloud.ts'

/*
 * For a minute a token without rights asks for all that it can think of, each kind again as soon as it is answered, while
 * another one imports a file and reads a table. The baseline is the same import and the same read before it.
 */
const SECONDS = 60
const QUIET_RUNS = 8
const READS_PER_IMPORT = 3

const folder = mkdtempSync(join(tmpdir(), 'millrace-flood-'))
const cloud = await startCloud(folder)

interface Asked {
  token: string
  body?: string | FormData
  type?: string
}

/** Resolves to the status and the text of the answer, read to its end. */
const ask = async (method: string, path: string, { token, body, type }: Asked) => {
  const headers = { 'X-StorageApi-Token': token, ...(type && { 'content-type': type }) }
  const response = await fetch(cloud.api + path, { method, headers, ...(body !== undefined && { body }) })
  return { status: response.status, text: await response.text() }
}

const formOf = (fields: Readonly<Record<string, string>>, file: string): FormData => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  form.set('data', new Blob([file]), 'rows.csv')
  return form
}

const json = (value: unknown, token: string): Asked => ({
  token,
  body: JSON.stringify(value),
  type: 'application/json',
})

const millisecondsOf = async (work: () => Promise<{ status: number; text: string }>): Promise<number> => {
  const start = performance.now()
  const { status, text } = await work()
  if (status > 299) throw new Error(`${status}: ${text.slice(0, 300)}`)
  return performance.now() - start
}

const rows = Array.from({ length: 10_000 }, (_, row) => `${row},Prague ${row % 97},${row * 3}\n`)
const csv = `id,city,amount\n${rows.join('')}`

const importOnce = (path = 'tables/in.c-main.t/import', name = 't') =>
  millisecondsOf(() =>
    ask('POST', `/v2/storage/${path}`, { token: cloud.token, body: formOf({ name }, csv) }),
  )
const readOnce = () =>
  millisecondsOf(() =>
    ask('GET', '/v2/storage/tables/in.c-main.t/data-preview?limit=1000', { token: cloud.token }),
  )

const LONG = 'x'.repeat(150_000)

const queries = [
  'SELECT 1',
  'SELECT * FROM in.c-main.t',
  `SELECT '${LONG}'`,
  'SELECT count(*) FROM range(1000000000)',
  "SELECT repeat('x', 1000000000)",
  'SELECT list_transform(range(10000000), x -> x)',
].map(sql => ['/v2/storage/query', { sql }] as const)

const posts = [
  ...queries,
  ['/v2/storage/events', { component: 'c', message: LONG }],
  ['/v2/storage/events', { component: 'c', message: 'm', params: { a: Array(2000).fill('b') } }],
  ['/v2/storage/files/prepare', { name: 'f', sizeBytes: 1e14, federationToken: 1 }],
  ['/v2/storage/files/prepare', { name: 'f', isSliced: true, tags: Array.from({ length: 500 }, String) }],
  ['/v2/storage/workspaces', { readOnlyStorageAccess: true }],
  ['/v2/storage/tickets', {}],
  ['/v2/storage/webalize/column-names', { columnNames: Array(1000).fill('a b') }],
  ['/encryption/encrypt?projectId=1&componentId=a', { '#a': LONG }],
] as const

const gets = `
  /v2/storage /v2/storage/files?limit=10000 /v2/storage/files?q=name:zzz&limit=10000 /v2/storage/jobs?limit=1000
  /v2/storage/jobs?storage_job_status=error /v2/storage/events?limit=1000 /v2/storage/events?q=message:zzz*
  /v2/storage/events?sortOrder=asc&limit=1000 /v2/storage/events?component=nothing /v2/storage/runs /v2/storage/tokens
  /v2/storage/tokens/verify /v2/storage/buckets /v2/storage/tables?include=columns,metadata,columnMetadata
  /v2/storage/global-search?query=main /v2/storage/search/tables?metadataKey=x /v2/storage/components
  /v2/storage/search/component-configurations /v2/storage/workspaces /v2/storage/metadata /v2/storage/triggers
  /scheduler/schedules /queue/search/jobs /queue/search/grouped-jobs /v2/storage/dev-branches
  /v2/storage/tables/in.c-main.t
`
  .trim()
  .split(/\s+/)

try {
  await ask('POST', '/v2/storage/buckets', json({ name: 'main', stage: 'in' }, cloud.token))
  await importOnce('buckets/in.c-main/tables')
  const quiet = { imports: [] as number[], reads: [] as number[] }
  for (let run = 0; run < QUIET_RUNS; run++) {
    quiet.imports.push(await importOnce())
    quiet.reads.push(await readOnce())
  }
  const made = await ask('POST', '/v2/storage/tokens', json({ description: 'without rights' }, cloud.token))
  const { token } = JSON.parse(made.text) as { token: string }
  const kinds = [
    ...gets.map(path => () => ask('GET', path, { token })),
    ...posts.map(
      ([path, body]) =>
        () =>
          ask('POST', path, json(body, token)),
    ),
    () => ask('POST', '/upload-file', { token, body: formOf({}, LONG) }),
  ]
  let isOver = false
  let answers = 0
  let failures = 0
  const flood = kinds.map(async kind => {
    while (!isOver) {
      const { status } = await kind()
      answers++
      if (status >= 500) failures++
    }
  })
  const busy = { imports: [] as number[], reads: [] as number[] }
  const end = performance.now() + SECONDS * 1000
  while (performance.now() < end) {
    busy.imports.push(await importOnce())
    for (let run = 0; run < READS_PER_IMPORT; run++) busy.reads.push(await readOnce())
  }
  isOver = true
  await Promise.all(flood)
  const peakMemory = await cloud.peakMemoryMb()
  for (const each of [
    figure('flood.import', 'ms', median(busy.imports), median(quiet.imports)),
    figure('flood.read', 'ms', median(busy.reads), median(quiet.reads)),
    figure('flood.answers', 'requests', answers),
    figure('flood.internal-errors', 'requests', failures),
    figure('flood.peak-memory', 'MB', peakMemory),
  ])
    console.log(JSON.stringify(each))
} finally {
  await cloud.stop()
  rmSync(folder, { recursive: true, force: true })
}
