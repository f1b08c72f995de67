import { expect, it } from 'vitest'
import type { ExtractRun } from '#support/execute-run.ts'
import { withStorage } from '#support/storage-service.ts'

const started: [number, unknown][] = []
/** The machine's answers, one per poll. The last one is repeated. */
let told: ExtractRun[] = []

const service = await withStorage({
  extractRuns: {
    start: async (jobId, configuration) => void started.push([jobId, configuration]),
    describe: async () =>
      (told.length > 1 ? told.shift() : told[0]) ?? { status: 'running', execution: 'run-1' },
  },
})
await service.call('POST', '/v2/storage/components/ex-generic-v2/configs', {
  configurationId: 'shop',
  name: 'Shop',
})

const run = '/v2/storage/components/ex-generic-v2/configs/shop/run'

it('answers 202 with a job that shows what the run did once it has ended', async () => {
  const output = { status: 'success', rowsLoaded: 3, rows: [] }
  told = [
    { status: 'running', execution: 'run-1' },
    { status: 'running', execution: 'run-1' },
    { status: 'success', output: JSON.stringify(output) },
  ]
  const { status, body } = await service.call('POST', run)
  expect(status).toBe(202)
  expect(body).toMatchObject({
    status: 'success',
    operationName: 'configurationRun',
    operationParams: { componentId: 'ex-generic-v2', configId: 'shop', version: 1 },
    results: output,
  })
  const ofJob = started.filter(([jobId]) => jobId === body.id)
  expect(ofJob).toContainEqual([body.id, expect.objectContaining({ configId: 'shop' })])
})

it('the job of a run that failed says which row, job and request', async () => {
  const cause = 'row r1, job 0, GET items: The API request failed'
  told = [{ status: 'error', code: 'extractor.response.status', message: cause }]
  const { body } = await service.call('POST', run)
  expect(body).toMatchObject({
    status: 'error',
    error: { code: 'extractor.response.status', message: cause },
  })
})

it('the same idempotency key asks for one run', async () => {
  told = [{ status: 'success', output: '{}' }]
  const headers = { 'Idempotency-Key': 'nightly' }
  const first = await service.call('POST', run, undefined, headers)
  const second = await service.call('POST', run, undefined, headers)
  expect(second.body.id).toBe(first.body.id)
})

it.each([
  ['a configuration that is not there', 'ex-generic-v2/configs/nothing/run', 404, 'notFound'],
  ['a component that is not there', 'ex-nothing/configs/shop/run', 404, 'notFound'],
  [
    'a component that runs nothing',
    'keboola.runner-config-test/configs/x/run',
    400,
    'storage.components.notRunnable',
  ],
])('refuses %s', async (_, path, status, code) => {
  const reply = await service.call('POST', `/v2/storage/components/${path}`)
  expect([reply.status, reply.body.code]).toEqual([status, code])
})

const tokenFor = async (component: string) =>
  (
    await service.call('POST', '/v2/storage/tokens', {
      description: 'one component',
      componentAccess: [component],
    })
  ).body

it('refuses a caller who may not use the component', async () => {
  const { token } = await tokenFor('keboola.runner-config-test')
  const reply = await service.call('POST', run, undefined, { 'X-StorageApi-Token': token })
  expect([reply.status, reply.body.code]).toEqual([403, 'accessDenied'])
})

it('asks for a run with the rights of the caller', async () => {
  told = [{ status: 'success', output: '{}' }]
  const caller = await tokenFor('ex-generic-v2')
  const { body: job } = await service.call('POST', run, undefined, { 'X-StorageApi-Token': caller.token })
  expect(started).toContainEqual([
    job.id,
    expect.objectContaining({ configId: 'shop', authorTokenId: caller.id, configVersion: 1 }),
  ])
})

it('asks for a run in the branch of the path', async () => {
  told = [{ status: 'success', output: '{}' }]
  const { body: made } = await service.call('POST', '/v2/storage/dev-branches', { name: 'runs' })
  const branchId = made.results.id
  const path = run.replace('/storage/', `/storage/branch/${branchId}/`)
  const { body: job } = await service.call('POST', path)
  expect(started).toContainEqual([job.id, expect.objectContaining({ configId: 'shop', branchId })])
})
