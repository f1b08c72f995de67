import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { callerOf } from '#support/cloud-clients.ts'
import { folderUntilEnd } from '#support/until-end.ts'
import { type ApiServer, startApi } from '../functions/lib/extractor/api-server.ts'
import { sampleOf } from '../support/choose-kills.ts'
import { hasEnded, poll } from '../support/poll.ts'
import { isThorough } from '../support/thorough.ts'

const PAGE = 500
const ROWS = isThorough ? 200_000 : 50_000
/** After each start the cloud is killed when this many requests have arrived. */
const ALL_KILLS = [60, 40, 150]
const REQUESTS_BEFORE_KILLS = sampleOf(ALL_KILLS, 1)

const dataDir = folderUntilEnd()
let shop: ApiServer
let child: ChildProcess | undefined
let onRequest = () => {}

beforeAll(async () => {
  shop = await startApi(async ({ query }) => {
    onRequest()
    await new Promise(resolve => setTimeout(resolve, 15)) // So that it takes several legs.
    const offset = Number(query.get('offset'))
    return Array.from({ length: Math.min(PAGE, ROWS - offset) }, (_, index) => ({ id: offset + index }))
  })
})

afterAll(async () => {
  await kill()
  await shop?.close()
})

const kill = async (): Promise<void> => {
  if (!child || child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

const start = async (): Promise<{ api: string; token: string }> => {
  const started = spawn(process.execPath, ['cli/millrace.ts', 'start'], {
    env: {
      ...process.env,
      MILLRACE_DATA_DIR: dataDir,
      MILLRACE_API_PORT: '0',
      MILLRACE_S3_PORT: '0',
      MILLRACE_CONTEXT: '{"sizes":{"legSeconds":1}}',
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  child = started
  for await (const line of createInterface({ input: started.stdout })) {
    const facts: { event: string; api: string; token: string } = JSON.parse(line)
    if (facts.event === 'ready') return facts
  }
  throw new Error('The embedded cloud ended before it was ready')
}

it(`legs of a second and ${REQUESTS_BEFORE_KILLS.length} of ${ALL_KILLS.length} kills in the middle: each row is in the table once`, async () => {
  let cloud = await start()
  const api = callerOf(() => cloud)
  const killed = (requests: number) =>
    new Promise<void>(resolve => {
      let seen = 0
      onRequest = () => {
        if (++seen !== requests) return
        onRequest = () => {}
        void kill().then(resolve)
      }
    })

  // An incremental load without a key: a row loaded twice would appear twice.
  const pagination = { method: 'offset', limit: PAGE }
  const config = { outputBucket: 'kill', incrementalOutput: true, jobs: [{ endpoint: 'items' }] }
  await api('POST', 'components/ex-generic-v2/configs', {
    configurationId: 'kill',
    name: 'kill',
    configuration: {
      parameters: { api: { baseUrl: `${shop.origin}/`, pagination, http: { maxConcurrency: 1 } }, config },
    },
  })
  const kills = REQUESTS_BEFORE_KILLS.values()
  let nextKill = killed(kills.next().value ?? 0)
  // The answer comes when the run is under way, so the first kill may take it away. The run is there all the same.
  await Promise.allSettled([api('POST', 'components/ex-generic-v2/configs/kill/run'), nextKill])
  for (const requests of kills) {
    nextKill = killed(requests)
    cloud = await start()
    await nextKill
  }
  cloud = await start()

  const [{ id }] = await api('GET', 'jobs?component=ex-generic-v2&config=kill')
  const job = await poll(() => api('GET', `jobs/${id}`), hasEnded)
  expect(job).toMatchObject({ status: 'success', results: { rowsLoaded: ROWS } })
  expect(job.results.rows[0].legs).toBeGreaterThan(1)
  expect((await api('GET', 'tables/in.c-kill.items')).rowsCount).toBe(ROWS)
  // As many ids as rows, from the first to the last: none appears twice.
  const counted = await api('POST', 'tables/in.c-kill.items/primary-key', { columns: ['id'] })
  const key = await poll(() => api('GET', `jobs/${counted.id}`), hasEnded)
  expect(key.status).toBe('success')
})
