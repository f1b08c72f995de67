import { expect, it } from 'vitest'
import { withStorage } from '#support/storage-service.ts'

const configs = '/v2/storage/components/ex-generic-v2/configs'

const rowOf = (id: string | null, status: string, requests: number) => ({
  id,
  status,
  requests,
  seconds: 12,
  rowsLoaded: 40,
  jobs: [{ job: '0', endpoint: 'orders', dataType: 'orders', runs: 1, pages: requests }],
})

const service = await withStorage()

const configuration = {
  parameters: { api: { baseUrl: 'http://api.test/' }, config: { jobs: [{ endpoint: 'orders' }] } },
}

const storeAndRun = async (ran: { status: 'SUCCEEDED' | 'FAILED'; rows: unknown }[]): Promise<string> => {
  const { body } = await service.call('POST', configs, { name: 'Shop', configuration })
  const runs = [
    {
      status: 'SUCCEEDED' as const,
      configId: 'another',
      output: JSON.stringify({ rows: [rowOf(null, 'success', 99)] }),
    },
    { status: 'SUCCEEDED' as const, configId: body.id, output: 'nonsense' },
    ...ran.map(({ status, rows }) => ({ status, configId: body.id, output: JSON.stringify({ rows }) })),
  ]
  for (const [index, { status, configId, output }] of runs.entries())
    await service.stores.runs.end({
      name: `${body.id}-${index}`,
      status,
      // Newest first.
      startDate: new Date(Date.UTC(2026, 2, 1) - index * 60_000),
      input: JSON.stringify({ componentId: 'ex-generic-v2', configId }),
      output,
    })
  return body.id
}

const plansOf = async (id: string): Promise<{ rowId: string | null; plan: string }[]> =>
  (await service.call('GET', `${configs}/${id}/plan`)).body

it('forecasts a configuration by its last good run', async () => {
  const id = await storeAndRun([
    { status: 'FAILED', rows: [rowOf(null, 'success', 55)] },
    { status: 'SUCCEEDED', rows: [rowOf(null, 'success', 7)] },
    { status: 'SUCCEEDED', rows: [rowOf(null, 'success', 8)] },
  ])
  const [one] = await plansOf(id)
  expect(one?.plan).toContain('  last run: 7 pages in 1 runs of the job\n')
  expect(one?.plan).toContain('  last run: 7 requests in 12 s\n')
})

it('forecasts each row by its own, and says when there is none', async () => {
  const id = await storeAndRun([
    { status: 'SUCCEEDED', rows: [rowOf('a', 'success', 3), rowOf('b', 'error', 4)] },
  ])
  for (const rowId of ['a', 'b', 'c']) await service.call('POST', `${configs}/${id}/rows`, { rowId })
  const [a, b, c] = await plansOf(id)
  expect(a?.plan).toContain('last run: 3 requests in 12 s')
  for (const other of [b, c]) expect(other?.plan).toContain('last run: none is known')
})
