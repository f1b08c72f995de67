import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { figure } from './figure.ts'
import { type StartedCloud, startCloud } from './start-cloud.ts'

/**
 * How long an update of one configuration takes while 1, 8 and 32 clients write to it at once, and how many files are
 * prepared in a second by as many clients as a busy project has. Both over HTTP, on the one-machine cloud.
 *
 * The baseline of 8 and 32 writers is the median of one: what waiting for the others costs. The baseline of writes to one
 * row of many is the median at ten rows: what the other rows cost.
 */
const WRITERS = [1, 8, 32] as const
const UPDATES = 320
const PREPARES = 400
const PREPARING_CLIENTS = 8
const WARM_UPS = 20
const ROWS = [10, 100, 900] as const
const ROW_WRITES = 60
const READS = 20

const Id = z.object({ id: z.union([z.string(), z.number()]) })
const Versioned = z.object({ version: z.number() })

const send = async (cloud: StartedCloud, method: string, path: string, body: unknown): Promise<unknown> => {
  const response = await fetch(`${cloud.api}/v2/storage/${path}`, {
    method,
    headers: { 'X-StorageApi-Token': cloud.token, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  return response.json()
}

/** Runs `count` pieces of work, some at a time; resolves to the milliseconds of each. */
const timeEach = async (
  count: number,
  atOnce: number,
  work: (index: number) => Promise<void>,
): Promise<number[]> => {
  const times: number[] = []
  let next = 0
  const client = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) {
      const start = performance.now()
      await work(index)
      times.push(performance.now() - start)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, client))
  return times
}

const percentile = (times: readonly number[], share: number): number => {
  const sorted = times.toSorted((a, b) => a - b)
  const found = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
  if (found === undefined) throw new Error('There is no percentile of nothing')
  return found
}

const component = 'components/keboola.runner-config-test/configs'

/** A configuration of the size that people write: 2 KB in five levels. */
const sample = (index: number) => ({
  parameters: {
    api: { baseUrl: `https://example.com/${index}/` },
    config: {
      jobs: Array.from({ length: 10 }, (_, job) => ({
        endpoint: `items/${job}`,
        params: { since: '2026-07-16', page: job, filter: { status: 'open', tags: ['a', 'b'] } },
        dataField: 'items',
      })),
    },
  },
})

const timeUpdates = async (cloud: StartedCloud, writers: number): Promise<number[]> => {
  const { id } = Id.parse(await send(cloud, 'POST', component, { name: `bench ${writers}` }))
  const update = async (index: number): Promise<void> => {
    await send(cloud, 'PUT', `${component}/${id}`, { configuration: sample(index) })
  }
  await timeEach(WARM_UPS, 1, index => update(-1 - index))
  const times = await timeEach(UPDATES, writers, update)
  const { version } = Versioned.parse(await send(cloud, 'PUT', `${component}/${id}`, {}))
  if (version !== 1 + WARM_UPS + UPDATES) throw new Error(`${version} versions of ${UPDATES} updates`)
  return times
}

/** A row of the size that people write: half a kilobyte. */
const sampleRow = (index: number) => ({
  name: `row ${index}`,
  configuration: {
    parameters: {
      endpoint: `items/${index}`,
      columns: Array.from({ length: 8 }, (_, column) => ({ name: `column_${column}`, type: 'string' })),
    },
  },
})

/** Medians of writes to a row and to its state, and of reading the configuration whole, as one configuration gets rows. */
const timeRows = async (cloud: StartedCloud) => {
  const { id } = Id.parse(await send(cloud, 'POST', component, { name: 'bench rows' }))
  const path = `${component}/${id}`
  const medianOf = async (count: number, work: (index: number) => Promise<unknown>): Promise<number> => {
    const times = await timeEach(count, 1, async index => void (await work(index)))
    return percentile(times, 0.5)
  }
  const medians = []
  let made = 0
  for (const rows of ROWS) {
    for (; made < rows; made++)
      await send(cloud, 'POST', `${path}/rows`, { rowId: `row-${made}`, ...sampleRow(made) })
    const rowOf = (index: number): string => `${path}/rows/row-${(index * 7) % rows}`
    medians.push({
      rows,
      write: await medianOf(ROW_WRITES, index => send(cloud, 'PUT', rowOf(index), sampleRow(-1 - index))),
      stateWrite: await medianOf(ROW_WRITES, index =>
        send(cloud, 'PUT', `${rowOf(index)}/state`, { state: { since: `page ${rows} ${index}` } }),
      ),
      read: await medianOf(READS, () => send(cloud, 'GET', path, undefined)),
    })
  }
  return medians
}

const preparesPerSecond = async (cloud: StartedCloud): Promise<number> => {
  const prepare = async (index: number): Promise<void> => {
    await send(cloud, 'POST', 'files/prepare', { name: `bench-${index}.csv`, federationToken: 1 })
  }
  await timeEach(WARM_UPS, PREPARING_CLIENTS, prepare)
  const start = performance.now()
  await timeEach(PREPARES, PREPARING_CLIENTS, prepare)
  return PREPARES / ((performance.now() - start) / 1000)
}

const folder = await mkdtemp(join(tmpdir(), 'millrace-bench-configurations-'))
let cloud: StartedCloud | undefined
try {
  cloud = await startCloud(join(folder, 'data'))
  let alone: number | undefined
  for (const writers of WRITERS) {
    const times = await timeUpdates(cloud, writers)
    const name = `configuration update, ${writers} ${writers === 1 ? 'writer' : 'writers'}`
    console.log(JSON.stringify(figure(`${name}, p50`, 'ms', percentile(times, 0.5), alone)))
    console.log(JSON.stringify(figure(`${name}, p99`, 'ms', percentile(times, 0.99), alone)))
    alone ??= percentile(times, 0.5)
  }
  const ofRows = await timeRows(cloud)
  for (const { rows, write, stateWrite, read } of ofRows) {
    const [ten] = ofRows
    console.log(JSON.stringify(figure(`configuration.rowWrite${rows}`, 'ms', write, ten?.write)))
    console.log(
      JSON.stringify(figure(`configuration.rowStateWrite${rows}`, 'ms', stateWrite, ten?.stateWrite)),
    )
    console.log(JSON.stringify(figure(`configuration.read${rows}`, 'ms', read, ten?.read)))
  }
  console.log(
    JSON.stringify(figure('files/prepare with credentials', 'requests/s', await preparesPerSecond(cloud))),
  )
} finally {
  await cloud?.stop()
  await rm(folder, { recursive: true, force: true })
}
