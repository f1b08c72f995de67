import { expect, it } from 'vitest'
import type { ExtractionRuns } from '#functions/storage-api/runs/extraction-runs.ts'
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

let runs: { status: 'SUCCEEDED' | 'FAILED'; configId: string; output: string }[] = []

const extractionRuns: ExtractionRuns = {
  async *list(statuses = []) {
    for (const [index, { status }] of runs.entries())
      if (statuses.includes(status)) yield { id: String(index), status, startTime: new Date(0) }
  },
  get: async id => {
    const found = runs[Number(id)]
    return (
      found && {
        executionArn: `arn:${id}`,
        stateMachineArn: 'arn:machine',
        startDate: new Date(0),
        status: found.status,
        input: JSON.stringify({ componentId: 'ex-generic-v2', configId: found.configId }),
        output: found.output,
      }
    )
  },
}

const service = await withStorage({ extractionRuns })

const configuration = {
  parameters: { api: { baseUrl: 'http://api.test/' }, config: { jobs: [{ endpoint: 'orders' }] } },
}

const storeAndRun = async (ran: { status: 'SUCCEEDED' | 'FAILED'; rows: unknown }[]): Promise<string> => {
  const { body } = await service.call('POST', configs, { name: 'Shop', configuration })
  runs = [
    {
      status: 'SUCCEEDED',
      configId: 'another',
      output: JSON.stringify({ rows: [rowOf(null, 'success', 99)] }),
    },
    { status: 'SUCCEEDED', configId: body.id, output: 'nonsense' },
    ...ran.map(({ status, rows }) => ({ status, configId: body.id, output: JSON.stringify({ rows }) })),
  ]
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
