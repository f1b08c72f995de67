import { GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSharedBudgets } from '#functions/run-extractor/shared-budgets.ts'
import { type Extraction, startExtraction } from '../../support/extraction.ts'
import { type ApiServer, startApi } from '../lib/extractor/api-server.ts'

let extraction: Extraction
let api: ApiServer

beforeAll(async () => {
  extraction = await startExtraction()
  api = await startApi(() => [{ id: 1 }])
})

afterAll(async () => {
  await api?.close()
  await extraction?.close()
})

const configure = async (configId: string, token: string) =>
  extraction.service.call('POST', '/v2/storage/components/ex-generic-v2/configs', {
    configurationId: configId,
    name: configId,
    configuration: {
      parameters: {
        api: {
          baseUrl: `${api.origin}/`,
          http: { budget: { requests: 20, seconds: 600 }, headers: { 'X-Token': { attr: '#token' } } },
        },
        config: { '#token': token, outputBucket: configId, jobs: [{ endpoint: 'items' }] },
      },
    },
  })

const recordsOf = async (): Promise<{ name: string; requests: number }[]> => {
  const { s3, bucket } = extraction.work
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: 'budgets/' }))
  return Promise.all(
    Contents.map(async ({ Key = '' }) => {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key }))
      const blocks = JSON.parse((await Body?.transformToString()) ?? '') as { requests: number }[] // as written
      return { name: Key, requests: blocks.reduce((sum, { requests }) => sum + requests, 0) }
    }),
  )
}

it('runs with the same account take from one budget, others from their own', async () => {
  await configure('shop-a', 'secret-of-the-shop')
  await configure('shop-b', 'secret-of-the-shop')
  await configure('other', 'secret-of-another')
  for (const configId of ['shop-a', 'shop-b', 'other'])
    expect(await extraction.run(configId)).toMatchObject({ end: { result: { status: 'success' } } })
  const records = await recordsOf()
  expect(records.map(({ requests }) => requests).sort()).toEqual([2, 4])
  for (const { name } of records) expect(name).toMatch(/^budgets\/[0-9a-f]{64}\.json$/)
})

it('of two that reserve at once from the same record one is second, and nothing is written over', async () => {
  const { store } = createSharedBudgets(extraction.work, 'token')
  const budget = store('raced')
  expect(await budget.read()).toBeUndefined()
  expect(await Promise.all([budget.write([1], undefined), budget.write([2], undefined)])).toContain(false)
  const before = await budget.read()
  expect(await budget.write([3], before?.version)).toBe(true)
  expect(await budget.write([4], before?.version)).toBe(false)
  expect((await budget.read())?.value).toEqual([3])
})

it('another stack names the same account otherwise', () => {
  const [one, other] = ['a', 'b'].map(token => createSharedBudgets(extraction.work, token).digest('account'))
  expect(one).not.toBe(other)
})
