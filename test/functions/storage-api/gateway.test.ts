import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import createBucket from '#events/storage-api/create-bucket-form.json' with { type: 'json' }
import listFiles from '#events/storage-api/list-files.json' with { type: 'json' }
import removeTag from '#events/storage-api/remove-tag.json' with { type: 'json' }
import uploadFile from '#events/storage-api/upload-file.json' with { type: 'json' }
import {
  answerGatewayEvent,
  type GatewayEvent,
  gatewayEvent,
  MAX_GATEWAY_BODY_LENGTH,
} from '#functions/storage-api/gateway.ts'
import { type StorageService, startStorageService } from '../../support/storage-service.ts'

let service: StorageService
beforeAll(async () => {
  service = await startStorageService()
})
afterAll(() => service.close())

/** The event with the token of this service in it: the captured ones have none. */
const answer = (event: unknown, change: Partial<GatewayEvent> = {}) => {
  const parsed = gatewayEvent.parse(event)
  const headers = { ...parsed.headers, 'x-storageapi-token': service.token }
  return answerGatewayEvent(service.app, { ...parsed, headers, ...change })
}

describe('an event of the gateway', () => {
  it('becomes a request with its query', async () => {
    await service.call('POST', '/v2/storage/files/prepare', {
      name: 'a.csv',
      tags: ['daily'],
      federationToken: 1,
    })
    await service.call('POST', '/v2/storage/files/prepare', { name: 'b.csv', federationToken: 1 })
    const { statusCode, headers, body, isBase64Encoded } = await answer(listFiles)
    expect([statusCode, headers['content-type'], isBase64Encoded]).toEqual([200, 'application/json', false])
    expect(JSON.parse(body)).toMatchObject([{ name: 'a.csv' }])
  })

  it('becomes a request with its body, and addresses in the reply have its host', async () => {
    const { statusCode, body } = await answer(createBucket)
    expect(statusCode).toBe(201)
    expect(JSON.parse(body)).toMatchObject({
      id: 'in.c-orders',
      uri: 'https://a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com/v2/storage/buckets/in.c-orders',
    })
  })

  it('with a binary body uploads a file', async () => {
    const { statusCode, body } = await answer(uploadFile)
    expect(statusCode).toBe(201)
    expect(await (await fetch(JSON.parse(body).url)).text()).toBe('id,city\n1,Köln\n')
  })

  it('with a path that the gateway has decoded finds its route', async () => {
    const id = await service.upload('a\n')
    await service.call('POST', `/v2/storage/files/${id}/tags`, { tag: 'what?/now' })
    const { statusCode, body } = await answer(removeTag, {
      rawPath: removeTag.rawPath.replace('/1/', `/${id}/`),
    })
    expect([statusCode, body]).toEqual([204, ''])
    expect((await service.call('GET', `/v2/storage/files/${id}`)).body.tags).toEqual([])
  })

  it('with a decoded backslash in its path names the configuration of that id', async () => {
    const configurationId = 'App\\Case one'
    const configs = '/v2/storage/components/keboola.runner-config-test/configs'
    await service.call('POST', configs, { configurationId, name: 'n' })
    const { statusCode, body } = await answer(listFiles, {
      rawPath: `${configs}/${configurationId}`,
      rawQueryString: '',
    })
    expect([statusCode, JSON.parse(body).id]).toEqual([200, configurationId])
  })

  it('without a token is refused like any request', async () => {
    const { statusCode } = await answerGatewayEvent(service.app, gatewayEvent.parse(listFiles))
    expect(statusCode).toBe(401)
  })
})

describe('the limits of the gateway', () => {
  it('refuse a body that is too large, and name the way around', async () => {
    const { statusCode, headers, body } = await answer(uploadFile, {
      body: 'x'.repeat(MAX_GATEWAY_BODY_LENGTH + 1),
    })
    expect([statusCode, headers['content-type']]).toEqual([413, 'application/json'])
    expect(JSON.parse(body)).toMatchObject({
      code: 'storage.requestTooLarge',
      status: 'error',
      error: expect.stringContaining('POST /v2/storage/files/prepare'),
    })
  })

  it('refuse a reply that is too large, and say what to ask for instead', async () => {
    const cell = '"'.repeat(60_000)
    const large = { fetch: async () => new Response(JSON.stringify(Array.from({ length: 100 }, () => cell))) }
    const { statusCode, body } = await answerGatewayEvent(large, gatewayEvent.parse(listFiles))
    expect(statusCode).toBe(413)
    expect(JSON.parse(body)).toMatchObject({
      code: 'storage.responseTooLarge',
      error: expect.stringContaining('smaller limit'),
    })
  })

  it('refuse a reply of the catalog that is too large in the form that engines read', async () => {
    const large = { fetch: async () => new Response('"'.repeat(6_000_000)) }
    const event = gatewayEvent.parse({ ...listFiles, rawPath: '/iceberg/v1/namespaces/a/tables/b' })
    const { statusCode, body } = await answerGatewayEvent(large, event)
    expect(statusCode).toBe(413)
    expect(JSON.parse(body)).toEqual({
      error: { code: 413, type: 'BadRequestException', message: expect.stringContaining('snapshots=refs') },
    })
  })

  it('end a request that takes too long', async () => {
    const slow = { fetch: () => new Promise<Response>(() => {}) }
    const { statusCode, body } = await answerGatewayEvent(slow, gatewayEvent.parse(listFiles), {
      longestMs: 0,
    })
    expect(statusCode).toBe(504)
    expect(JSON.parse(body)).toMatchObject({ code: 'storage.tooSlow', status: 'error' })
  })
})
