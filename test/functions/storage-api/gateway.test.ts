import { describe, expect, it } from 'vitest'
import consoleJobs from '#events/storage-api/console-jobs.json' with { type: 'json' }
import consoleSignIn from '#events/storage-api/console-sign-in.json' with { type: 'json' }
import createBucket from '#events/storage-api/create-bucket-form.json' with { type: 'json' }
import customDomain from '#events/storage-api/custom-domain.json' with { type: 'json' }
import listFiles from '#events/storage-api/list-files.json' with { type: 'json' }
import listFilesRepeated from '#events/storage-api/list-files-repeated.json' with { type: 'json' }
import noHeaders from '#events/storage-api/no-headers.json' with { type: 'json' }
import removePercentTag from '#events/storage-api/remove-percent-tag.json' with { type: 'json' }
import removeTag from '#events/storage-api/remove-tag.json' with { type: 'json' }
import repeatedHeaders from '#events/storage-api/repeated-headers.json' with { type: 'json' }
import uploadFile from '#events/storage-api/upload-file.json' with { type: 'json' }
import { createConsole } from '#functions/storage-api/console/console.tsx'
import { withConsole } from '#functions/storage-api/console/with-console.ts'
import {
  answerGatewayEvent,
  type GatewayEvent,
  gatewayEvent,
  MAX_GATEWAY_BODY_BYTES,
} from '#functions/storage-api/gateway.ts'
import { MAX_RESULT_BYTES } from '#functions/storage-api/http/page.ts'
import type { App } from '#functions/storage-api/routes/app.ts'
import { untilEnd } from '#support/until-end.ts'
import { startStorageService } from '../../support/storage-service.ts'

const service = await untilEnd(startStorageService())

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

  it('with a percent sign that the gateway has decoded names the tag as it is', async () => {
    const id = await service.upload('a\n')
    await service.call('POST', `/v2/storage/files/${id}/tags`, { tag: '50%41 off' })
    const { statusCode } = await answer(removePercentTag, {
      rawPath: removePercentTag.rawPath.replace('/1/', `/${id}/`),
    })
    expect(statusCode).toBe(204)
    expect((await service.call('GET', `/v2/storage/files/${id}`)).body.tags).toEqual([])
  })

  it('with a name that is repeated in its query asks for all of them', async () => {
    for (const tag of ['daily', 'a b', 'other'])
      await service.call('POST', '/v2/storage/files/prepare', {
        name: 'q.csv',
        tags: [tag],
        federationToken: 1,
      })
    const { statusCode, body } = await answer(listFilesRepeated)
    const tags = JSON.parse(body).flatMap(({ tags }: { tags: string[] }) => tags)
    expect([statusCode, new Set(tags)]).toEqual([200, new Set(['daily', 'a b'])])
  })

  it('of a domain of its own has that domain in addresses', async () => {
    const { statusCode, body } = await answer(customDomain)
    expect([statusCode, JSON.parse(body)]).toMatchObject([
      201,
      { description: 'Köln & Plzeň', uri: 'https://storage.example.com/v2/storage/buckets/in.c-mapped' },
    ])
  })

  it('with headers that came more than once is read', async () => {
    const { statusCode } = await answer(repeatedHeaders)
    expect(statusCode).toBe(201)
  })

  it('without headers is answered', async () => {
    const { statusCode } = await answerGatewayEvent(service.app, gatewayEvent.parse(noHeaders))
    expect(statusCode).toBe(200)
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

  it.each(['a ', 'a\tb', '\na', 'a\u0000'])(
    'with %j in its path removes that tag and no other',
    async tag => {
      const id = await service.upload('a\n')
      for (const each of ['a', 'ab', tag])
        await service.call('POST', `/v2/storage/files/${id}/tags`, { tag: each })
      const { statusCode } = await answer(removeTag, { rawPath: `/v2/storage/files/${id}/tags/${tag}` })
      expect(statusCode).toBe(204)
      expect((await service.call('GET', `/v2/storage/files/${id}`)).body.tags).toEqual(['a', 'ab'])
    },
  )

  it.each(['..', '.', 'a/../..', './a', '../'])(
    'with the steps %j in its path finds nothing',
    async steps => {
      const id = await service.upload('a\n')
      const { statusCode, body } = await answer(removeTag, {
        rawPath: `/v2/storage/files/${id}/tags/${steps}`,
      })
      expect([statusCode, JSON.parse(body).code]).toEqual([404, 'notFound'])
      expect((await service.call('GET', `/v2/storage/files/${id}`)).status).toBe(200)
    },
  )

  it('without a token is refused like any request', async () => {
    const { statusCode } = await answerGatewayEvent(service.app, gatewayEvent.parse(listFiles))
    expect(statusCode).toBe(401)
  })
})

describe('the console behind the gateway', () => {
  const site = () =>
    withConsole(service.app, async () =>
      createConsole({
        ...service.stores,
        api: service.app,
        assets: () => new Map([['console-1.css', { type: 'text/css', body: new Uint8Array([1]) }]]),
        storeOrigins: ['https://store.test'],
        now: () => new Date(),
        log: { error: () => {} },
      }),
    )

  it('keeps whoever signs in, whose cookies come back in a list of their own', async () => {
    const signedIn = await answerGatewayEvent(site(), gatewayEvent.parse(consoleSignIn))
    expect(signedIn).toMatchObject({ statusCode: 303, headers: { location: '/console' } })
    expect(signedIn.headers).not.toHaveProperty('set-cookie')
    const [cookie = ''] = signedIn.cookies?.slice(-1) ?? []
    expect(cookie).toMatch(/^__Host-millrace_session=[\w-]{43};.* Secure/)

    const cookies = ['theme=dark', cookie.split(';', 1)[0] ?? '']
    const page = await answerGatewayEvent(site(), gatewayEvent.parse({ ...consoleJobs, cookies }))
    expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=UTF-8'])
  })

  it('sends every cookie of a reply', async () => {
    const twice = {
      fetch: async () =>
        new Response('', {
          headers: [
            ['set-cookie', 'a=1; Expires=Thu, 16 Jul 2026 10:20:30 GMT'],
            ['set-cookie', 'b=2'],
          ],
        }),
    }
    const { cookies } = await answerGatewayEvent(twice, gatewayEvent.parse(consoleJobs))
    expect(cookies).toEqual(['a=1; Expires=Thu, 16 Jul 2026 10:20:30 GMT', 'b=2'])
  })
})

describe('the limits of the gateway', () => {
  it('refuse a body that is too large, and name the way around', async () => {
    const { statusCode, headers, body } = await answer(uploadFile, {
      body: 'x'.repeat(MAX_GATEWAY_BODY_BYTES + 1),
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

  it.each([
    ['letters of three bytes', new Response('漢'.repeat(2_500_000))],
    [
      'bytes that go as base64',
      new Response(new Uint8Array(4_800_000), { headers: { 'content-type': 'image/png' } }),
    ],
    ['quotes', new Response('"'.repeat(3_200_000))],
    [
      'headers',
      new Response('x'.repeat(MAX_RESULT_BYTES - 1000), { headers: { 'x-long': 'y'.repeat(1000) } }),
    ],
  ])('count the bytes of the whole result: %s', async (_case, response) => {
    const { statusCode, body } = await answerGatewayEvent(
      { fetch: async () => response },
      gatewayEvent.parse(listFiles),
    )
    expect([statusCode, JSON.parse(body).code]).toEqual([413, 'storage.responseTooLarge'])
  })

  it('let a reply through that fills the result', async () => {
    const reply = (length: number) => ({ fetch: async () => new Response('é'.repeat(length)) })
    const event = gatewayEvent.parse(listFiles)
    const around = Buffer.byteLength(JSON.stringify(await answerGatewayEvent(reply(0), event)))
    const largest = await answerGatewayEvent(reply(Math.floor((MAX_RESULT_BYTES - around) / 2)), event)
    expect(largest.statusCode).toBe(200)
    expect(Buffer.byteLength(JSON.stringify(largest))).toBeGreaterThan(MAX_RESULT_BYTES - 2)
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

it.each(['TRACE', 'TRACK', 'CONNECT', 'trace'])('%s is no method of any route', async method => {
  const { requestContext } = consoleJobs
  const event = {
    ...consoleJobs,
    requestContext: { ...requestContext, http: { ...requestContext.http, method } },
  }
  const app = { fetch: () => Promise.reject(new Error('It is not asked')) } as unknown as App
  expect(await answerGatewayEvent(app, gatewayEvent.parse(event))).toMatchObject({ statusCode: 404 })
})
