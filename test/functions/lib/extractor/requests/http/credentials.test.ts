import { describe, expect, it } from 'vitest'
import { isPublicAddress } from '#lib/extractor/requests/http/address-guard.ts'
import { untilEnd } from '#support/until-end.ts'
import { startApi } from '../../api-server.ts'
import { extractFrom, runExtraction, type Settings } from '../../run-extraction.ts'

const secret = 'tok-98765'

/** All the places where a configuration can put a secret. */
const guarded: Settings = {
  api: {
    http: { headers: { 'X-Key': { attr: '#token' } }, defaultOptions: { params: { d: 1 } } },
    authentication: { type: 'query', query: { key: { attr: '#token' } } },
    pagination: { method: 'response.url', urlKey: 'next', includeParams: true },
  },
  config: {
    '#token': secret,
    jobs: [{ endpoint: 'items', params: { p: { attr: '#token' } }, headers: { 'X-Job': secret } }],
  },
}

describe('credentials', () => {
  it('do not follow a redirect to another origin', async () => {
    const other = await untilEnd(startApi(() => [{ id: 1 }]))
    const { error, requests } = await runExtraction(
      (_, response) => response.writeHead(302, { location: `${other.origin}/stolen` }).end(),
      guarded,
    )
    expect(error).toBeUndefined()
    expect(JSON.stringify(requests[0])).toContain(secret)
    expect(other.requests).toHaveLength(1)
    expect(JSON.stringify(other.requests)).not.toContain(secret)
  })

  it('do not go to a next link elsewhere', async () => {
    const other = await untilEnd(startApi(() => ({ items: [{ id: 2 }] })))
    const { error } = await runExtraction(
      () => ({ items: [{ id: 1 }], next: `${other.origin}/stolen?a=b` }),
      guarded,
    )
    expect(error).toBeUndefined()
    expect(other.requests[0]?.url).toBe('/stolen?a=b&d=1')
    expect(JSON.stringify(other.requests)).not.toContain(secret)
  })

  it('are added anew after a redirect within the origin', async () => {
    const { requests, error } = await runExtraction(
      (request, response) =>
        request.path === '/items' ? response.writeHead(307, { location: '/moved' }).end() : [{ id: 1 }],
      guarded,
    )
    expect(error).toBeUndefined()
    expect(requests[1]?.url).toBe(`/moved?key=${secret}`)
    expect(requests[1]?.headers['x-key']).toBe(secret)
  })

  it('in a body never go elsewhere', async () => {
    const other = await untilEnd(startApi(() => [{ id: 1 }]))
    const { error } = await runExtraction(
      (_, response) => response.writeHead(307, { location: `${other.origin}/stolen` }).end(),
      {
        ...guarded,
        config: {
          '#token': secret,
          jobs: [{ endpoint: 'items', method: 'POST', params: { p: { attr: '#token' } } }],
        },
      },
    )
    expect(error?.message).toContain('The request body holds a secret')
    expect(other.requests).toEqual([])
  })

  it('follows an address of letters that are not ASCII', async () => {
    const { requests } = await runExtraction(
      ({ path }, response) =>
        path === '/items'
          ? void response.socket?.write(
              'HTTP/1.1 302 Found\r\nLocation: /žluť?ü\r\nContent-Length: 0\r\n\r\n',
            )
          : [],
      {},
    )
    expect(requests[1]?.url).toBe('/%C5%BElu%C5%A5?%C3%BC')
  })

  it('turns a POST into a GET on 302 and repeats it on 307', async () => {
    for (const [status, method, body] of [
      [302, 'GET', ''],
      [307, 'POST', '{"a":1}'],
    ] as const) {
      const { requests } = await runExtraction(
        (request, response) =>
          request.path === '/items' ? response.writeHead(status, { location: '/moved' }).end() : [{ id: 1 }],
        { config: { jobs: [{ endpoint: 'items', method: 'POST', params: { a: 1 } }] } },
      )
      expect(requests[1]).toMatchObject({ method, body })
    }
  })
})

describe('the address guard', () => {
  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    'fe80::1',
    'fc00::1',
    'fd00:ec2::254',
    '::ffff:127.0.0.1',
    '::127.0.0.1',
    '::a9fe:a9fe',
    '::ffff:0:10.0.0.1',
    '::ffff:169.254.169.254',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
  ])('refuses %s', address => {
    expect(isPublicAddress(address)).toBe(false)
  })

  it.each(['1.1.1.1', '8.8.8.8', '93.184.216.34', '2606:4700:4700::1111', '172.15.0.1', '172.32.0.1'])(
    'allows %s',
    address => {
      expect(isPublicAddress(address)).toBe(true)
    },
  )

  const options = { guard: true }

  it.each([
    'http://127.0.0.1:1',
    'http://[::1]:1',
    'http://2130706433:1',
    'http://0x7f.1:1',
    'http://localhost:1',
    'http://169.254.169.254',
  ])('refuses a base address of %s', async origin => {
    const { error } = await extractFrom(origin, { options })
    expect(error?.message).toContain('is not on the public internet')
  })

  it('is off where nobody asks for it', async () => {
    expect((await runExtraction(() => [{ id: 1 }], {})).error).toBeUndefined()
  })

  it('checks what a name resolves to at the moment of connecting, so that rebinding gains nothing', async () => {
    const server = await untilEnd(startApi(() => [{ id: 1 }]))
    const answers = [['93.184.216.34'], ['127.0.0.1'], ['93.184.216.34', '127.0.0.1']]
    for (const addresses of answers.slice(1)) {
      const { error } = await extractFrom(server.origin.replace('127.0.0.1', 'api.example'), {
        options: { guard: true, resolve: async () => addresses.map(address => ({ address, family: 4 })) },
      })
      expect(error?.message).toContain('Address of "api.example" is not on the public internet (127.0.0.1)')
    }
    expect(server.requests).toEqual([])
  })

  it('holds for redirects to metadata addresses', async () => {
    const asked: string[] = []
    const server = await startApi((_, response) =>
      response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' }).end(),
    )
    // The guard would refuse the test's own server: the first connection goes there by a dispatcher of ours
    const { Agent, buildConnector } = await import('undici')
    const connect = buildConnector({})
    const dispatcher = new Agent({
      connect: (options, callback) => {
        asked.push(options.hostname)
        connect({ ...options, hostname: '127.0.0.1', port: new URL(server.origin).port }, callback)
      },
    })
    const { error } = await extractFrom('http://93.184.216.34', { options: { guard: true, dispatcher } })
    await dispatcher.close()
    await server.close()
    expect(error?.message).toContain('169.254.169.254')
    expect(asked).toEqual(['93.184.216.34'])
  })
})

describe('allowed hosts', () => {
  const root = (host: object) => ({ image_parameters: { allowed_hosts: [host] } })

  it.each([
    [{ host: '127.0.0.1' }, true],
    [{ host: '127.0.0.1', scheme: 'http', endpoint: '/items' }, true],
    [{ host: '127.0.0.1', endpoint: 'item' }, false],
    [{ host: '127.0.0.1', scheme: 'https' }, false],
    [{ host: '127.0.0.1', port: 1 }, false],
    [{ host: 'example.com' }, false],
  ])('%j', async (host, allowed) => {
    const { error } = await runExtraction(() => [{ id: 1 }], { root: root(host) })
    expect(error?.message.includes('is not in the allowed hosts whitelist') ?? false).toBe(!allowed)
  })

  it('hold for next pages too', async () => {
    const { error } = await runExtraction(() => ({ items: [1], next: 'http://localhost:9/x' }), {
      root: root({ host: '127.0.0.1' }),
      api: { pagination: { method: 'response.url', urlKey: 'next' } },
    })
    expect(error?.message).toContain('"http://localhost:9/x" is not in the allowed hosts')
  })
})
