import { beforeAll, beforeEach, expect, it } from 'vitest'
import { createConsole } from '#functions/storage-api/console/console.tsx'
import { withConsole } from '#functions/storage-api/console/with-console.ts'
import { decisionName } from '#lib/wire/decision-name.ts'
import { withStorage } from '#support/storage-service.ts'

const ORIGIN = 'https://storage.test'
const ids = { componentId: 'ex-generic-v2', configId: 'shop' }

/** Inputs of the executions that carry decisions out, by name: the first of a name counts. */
const decided = new Map<string, { decision?: string | undefined; branchId?: number | undefined }>()
/** The branch of the run `inBranch`. */
let branchId = 0
/** The route does not see them yet. */
let isHidden = false

const run = (name: string, input: object, output: object) => ({
  name,
  status: 'SUCCEEDED' as const,
  startDate: new Date(),
  stopDate: new Date(),
  input: JSON.stringify({ ...ids, ...input }),
  output: JSON.stringify(output),
})

const row = {
  id: null,
  name: 'Shop',
  status: 'held',
  rowsLoaded: 0,
  requests: 2,
  seconds: 1,
  legs: 1,
  limitWaitSeconds: 75,
  unchanged: 12,
  warnings: [],
  tables: [],
  jobs: [],
  drift: { compared: 1, changes: [{ table: 'items', column: 'a', change: 'type', rule: 'types' }], more: 0 },
}

const held = { status: 'held', rowsLoaded: 0, requests: 2, rows: [row] }

let cookie = ''

const service = await withStorage({
  describeRun: async id => {
    const input = isHidden ? undefined : decided.get(id)
    return input && run(id, input, { status: 'success', ...input, rows: [] })
  },
  extractRuns: {
    stop: async () => {},
    start: async (_, { decides = '', decision, branchId }) => {
      if (!decided.has(decisionName(decides))) decided.set(decisionName(decides), { decision, branchId })
    },
    describe: async (_, decides = '') => ({
      status: 'success',
      output: JSON.stringify({ status: 'success', ...decided.get(decisionName(decides)), rows: [] }),
    }),
  },
})
const app = withConsole(service.app, async () =>
  createConsole({
    ...service.stores,
    api: service.app,
    assets: () => new Map(),
    storeOrigins: [],
    now: () => new Date(),
    log: { error: (_, error) => void console.error(error) },
  }),
)
await service.call('POST', '/v2/storage/components/ex-generic-v2/configs', {
  configurationId: 'shop',
  name: 'Shop',
})
beforeAll(async () => {
  await service.stores.runs.end(run('held', {}, held))
  const doubtful = { ...row, status: 'success', warnings: ["Job 'items' ended after page 1, but more."] }
  await service.stores.runs.end(run('warned', {}, { ...held, status: 'success', rows: [doubtful] }))
  await service.stores.runs.end(run('good', {}, { status: 'success', rowsLoaded: 1, requests: 2, rows: [] }))
  const signedIn = await submit('/console/sign-in', { token: service.token })
  cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
})
beforeEach(() => {
  decided.clear()
  isHidden = false
})

const submit = (path: string, form: Record<string, string> = {}) =>
  app.fetch(
    new Request(`${ORIGIN}${path}`, {
      method: 'POST',
      headers: { cookie, origin: ORIGIN, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form),
    }),
  )

const page = async (path: string): Promise<string> =>
  (await app.fetch(new Request(`${ORIGIN}${path}`, { headers: { cookie } }))).text()

const decide = (runId: string, decision: string, headers?: Record<string, string>) =>
  service.call('POST', `/v2/storage/runs/${runId}/${decision}`, {}, headers)

const decisionOf = async () => (await service.call('GET', '/v2/storage/runs/held')).body.decision

it('the page of a run that holds tables back shows what has changed, with Approve and Reject', async () => {
  const html = await page('/console/runs/held')
  expect(html).toContain('Waits for approval')
  expect(html).toContain('action="/console/runs/held/approve"')
  expect(html).toContain('action="/console/runs/held/reject"')
  expect(html).toContain('other type')
  expect(await page('/console/runs/good')).not.toContain('Approve')
})

it('a run that was asked for a moment ago is waited for, and a job is named by what it does', async () => {
  const { body } = await service.call('POST', '/v2/storage/components/ex-generic-v2/configs/shop/run', {})
  const shown = await page(`/console/runs/run-${body.id}`)
  expect(shown).toContain('<h1>Run of shop</h1>')
  expect(await page('/console/jobs')).toContain(`<a href="/console/jobs/${body.id}">Run of shop</a>`)
})

it('the overview says what waits for a person', async () => {
  expect(await page('/console')).toMatch(/Needs you<\/h2>.*Run of shop<\/a> waits for approval/)
})

it('a run that succeeded and has warnings is not shown as a good one, alone and among others', async () => {
  const warned = 'done, with warnings</span>'
  expect(await page('/console/runs/warned')).toContain(warned)
  expect((await page('/console/jobs')).split(warned)).toHaveLength(2)
  expect(await page('/console/runs/good')).not.toContain(warned)
})

it('and how long it waited for the limits of the API, and what has not changed', async () => {
  const html = await page('/console/runs/held')
  expect(html).toContain('75 s of waiting for the limits of the API')
  expect(html).toContain('12 answers unchanged since the last run')
})

it.each([
  ['approve', 'Approved'],
  ['reject', 'Rejected'],
])('%s makes a job, and the page shows what was decided', async (decision, word) => {
  const response = await submit(`/console/runs/held/${decision}`)
  expect(response.status).toBe(303)
  expect(response.headers.get('location')).toMatch(/^\/console\/jobs\/\d+$/)
  await service.jobsEnded()
  expect(await decisionOf()).toEqual({ decision, runId: decisionName('held'), status: 'success' })
  const html = await page('/console/runs/held')
  expect(html).toContain(word)
  expect(html).not.toContain('action="/console/runs/held')
})

it('a run in a branch is decided in its branch, also from the console, and not at all when that is deleted', async () => {
  const { body } = await service.call('POST', '/v2/storage/dev-branches', { name: 'Try' })
  await service.jobsEnded()
  branchId = (await service.call('GET', `/v2/storage/jobs/${body.id}`)).body.results.id
  await service.stores.runs.end(run('inBranch', { branchId }, held))
  const response = await submit('/console/runs/inBranch/approve')
  await service.jobsEnded()
  expect(decided.get(decisionName('inBranch'))).toEqual({ decision: 'approve', branchId })
  expect(await page(response.headers.get('location') ?? '')).toContain('success')

  decided.clear()
  await service.call('DELETE', `/v2/storage/dev-branches/${branchId}`)
  await service.jobsEnded()
  expect((await decide('inBranch', 'approve')).status).toBe(404)
  expect(decided.size).toBe(0)
})

it('a second decision is refused, also when both are asked for at once', async () => {
  expect((await decide('held', 'approve')).status).toBe(202)
  await service.jobsEnded()
  expect(await decide('held', 'reject')).toMatchObject({
    status: 409,
    body: { code: 'storage.runs.decided' },
  })
  isHidden = true
  const { body } = await decide('held', 'reject')
  await service.jobsEnded()
  expect((await service.call('GET', `/v2/storage/jobs/${body.id}`)).body).toMatchObject({
    status: 'error',
    error: { code: 'storage.runs.decided', message: expect.stringContaining('approve') },
  })
  isHidden = false
  expect(await decisionOf()).toMatchObject({ decision: 'approve' })
})

it('nothing is decided about a run that holds nothing, or by a token that may not use the component', async () => {
  expect(await decide('good', 'approve')).toMatchObject({
    status: 400,
    body: { code: 'storage.runs.notHeld' },
  })
  expect((await decide('none', 'approve')).status).toBe(404)
  const { body } = await service.call('POST', '/v2/storage/tokens', {
    description: 't',
    componentAccess: ['other'],
  })
  expect((await decide('held', 'approve', { 'X-StorageApi-Token': body.token })).status).toBe(403)
  expect(await decisionOf()).toBeNull()
})

it('the job of a run leads to the configuration and to the run', async () => {
  const job = await service.call('POST', '/v2/storage/components/ex-generic-v2/configs/shop/run', {})
  await service.jobsEnded()
  const html = await page(`/console/jobs/${job.body.id}`)
  expect(html).toContain('href="/console/configurations/ex-generic-v2/shop"')
  expect(html).toContain(`href="/console/runs/run-${job.body.id}"`)
})
