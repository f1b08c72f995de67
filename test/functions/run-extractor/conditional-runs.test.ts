import { setTimeout as sleep } from 'node:timers/promises'
import { DeleteObjectCommand, type GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Extraction, startExtraction } from '../../support/extraction.ts'
import { type ApiServer, startApi } from '../lib/extractor/api-server.ts'

let extraction: Extraction
let api: ApiServer
let version = 1

beforeAll(async () => {
  extraction = await startExtraction()
  api = await startApi(async ({ path, query, headers }, response) => {
    await sleep(3) // So that it takes several legs.
    const etag = `"${path === '/items' ? version : 0}-${query.get('page')}"`
    response.setHeader('etag', etag)
    const page = Number(query.get('page') ?? 1)
    if (headers['if-none-match'] !== etag) return page > 8 ? [] : [{ id: path, page, version }]
    return void response.writeHead(304).end()
  })
})

afterAll(async () => {
  await api?.close()
  await extraction?.close()
})

const call = async (method: string, path: string, body?: object) =>
  (await extraction.service.call(method, `/v2/storage/${path}`, body)).body

const create = (configurationId: string, more: object = {}, apiKeys: object = {}) =>
  call('POST', 'components/ex-generic-v2/configs', {
    configurationId,
    name: configurationId,
    configuration: {
      parameters: {
        api: { baseUrl: `${api.origin}/`, http: { conditional: true, maxConcurrency: 1 }, ...apiKeys },
        config: { outputBucket: configurationId, jobs: [{ endpoint: 'items' }, { endpoint: 'kinds' }] },
      },
      ...more,
    },
  })

const keptKeys = async (): Promise<string[]> => {
  const { s3, bucket } = extraction.work
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: 'answers/' }))
  return Contents.map(({ Key = '' }) => Key)
}

const rowOf = async (configId: string, settings = {}) => {
  const { result } = (await extraction.run(configId, { settings })).end
  return (result as unknown as { rows: Record<string, unknown>[] }).rows[0]
}

it('asks whether the answers of the last run have changed, and loads the same tables', async () => {
  await create('asking')
  expect(await rowOf('asking')).toMatchObject({ status: 'success', rowsLoaded: 2 })
  expect(await keptKeys()).toEqual(['answers/ex-generic-v2/asking/root'])
  const second = await rowOf('asking')
  expect(second).toMatchObject({ status: 'success', rowsLoaded: 2, unchanged: 2 })
  version = 2
  expect(await rowOf('asking')).toMatchObject({ rowsLoaded: 2, unchanged: 1 })
  const versionOf = async (table: string) => {
    const preview = await call('GET', `tables/in.c-asking.${table}/data-preview?format=json&columns=version`)
    return preview.rows[0][0].value
  }
  expect([await versionOf('items'), await versionOf('kinds')]).toEqual(['2', '1'])
})

it('takes the kept answers from leg to leg', async () => {
  await create('legs', {}, { pagination: { method: 'pagenum' } })
  const legs = { legSeconds: 0.02 }
  expect(await rowOf('legs', legs)).toMatchObject({ status: 'success', rowsLoaded: 16 })
  const second = await rowOf('legs', legs)
  expect(second?.['legs']).toBeGreaterThan(1)
  expect(second).toMatchObject({ status: 'success', rowsLoaded: 16, unchanged: 18 })
  expect(await rowOf('legs')).toMatchObject({ unchanged: 18 })
})

it('does without kept answers that are gone, or that cannot be fetched or written', async () => {
  await create('gone')
  await rowOf('gone')
  const { s3, bucket } = extraction.work
  await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: 'answers/ex-generic-v2/gone/root' }))
  const again = await rowOf('gone')
  expect(again).toMatchObject({ status: 'success', rowsLoaded: 2 })
  expect(again).not.toHaveProperty('unchanged')
  const broken = Object.create(s3, {
    send: {
      value: (command: { input: { Key?: string } }) => {
        if (command.input.Key?.startsWith('answers/')) throw new Error('S3 is not there')
        return s3.send(command as unknown as GetObjectCommand)
      },
    },
  })
  const without = await rowOf('gone', { work: { ...extraction.work, s3: broken } })
  expect(without).toMatchObject({ status: 'success', rowsLoaded: 2 })
  expect(extraction.logged.map(({ message }) => message)).toEqual(
    expect.arrayContaining(['kept answers not fetched', 'answers not kept']),
  )
  expect(await rowOf('gone')).toMatchObject({ unchanged: 2 })
})

it('is recorded with whole answers', async () => {
  await create('recorded', { keepRecordings: true })
  await rowOf('recorded')
  expect(await rowOf('recorded')).toMatchObject({ status: 'success', unchanged: 2, warnings: [] })
})
