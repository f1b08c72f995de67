import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createHostCheck } from '#lib/extractor/requests/http/address-guard.ts'
import { resolveUrl } from '#lib/extractor/requests/http/resolve-url.ts'
import type { Answer } from '../../api-server.ts'
import { runExtraction, type Settings } from '../../run-extraction.ts'

const isAllowed = (address: string, rule: Parameters<typeof toCheck>[0]): boolean => {
  try {
    toCheck(rule)(resolveUrl(address, ''))
    return true
  } catch {
    return false
  }
}
const toCheck = (rule: { host: string; scheme?: string; port?: number | string; endpoint?: string }) =>
  createHostCheck([rule])

const below = { host: 'api.example', endpoint: '/allowed' }

describe('a path below an allowed one', () => {
  it.each([
    '/allowed',
    '/allowed/',
    '/allowed/a?b=/../c',
    '/allowed/a/../b',
    '/allowed//a',
    '/allowed/a%2Fb',
    '/allowed/a;v=1/b',
    '/allowed/100%25',
    '/%61llowed/x',
    '/allowed/..a/b..',
  ])('passes: %s', path => expect(isAllowed(`https://api.example${path}`, below)).toBe(true))

  it.each([
    '/',
    '/admin',
    '/allowedx',
    '/Allowed/x',
    '/allowed/../admin',
    '/allowed/..',
    '/allowed/../../admin',
    '/allowed/%2e%2e/admin',
    '/allowed/%2E./admin',
    '/allowed/.%2e/admin',
    '/allowed/..%2fadmin',
    '/allowed/%2e%2e%2fadmin',
    '/allowed%2f..%2fadmin',
    '/allowed/%252e%252e/admin',
    '/allowed/%252e%252e%252fadmin',
    '/allowed/%25252e%25252e/admin',
    '/allowed/..\\admin',
    '/allowed/..%5cadmin',
    '/allowed/..;/admin',
    '/allowed/..;x=y/admin',
    '/allowed//../admin',
    '/allowed/%c0%ae%c0%ae/admin',
    '/allowed/%2e%2e%c0%afadmin',
    '/allowed/x%2fy/../../admin',
    '/admin/../allowed/x',
    '/admin/%2e%2e/allowed/x',
    `/allowed/%${'25'.repeat(20)}2e`,
  ])('is none: %s', path => expect(isAllowed(`https://api.example${path}`, below)).toBe(false))

  it('is none as soon as any decoding of it leads out of the allowed one', () => {
    const dots = fc.constantFrom('..', '%2e%2e', '.%2E', '%252e%252e', '..;a')
    const slash = fc.constantFrom('/', '%2f', '%5C', '%252F', '//')
    const segment = fc.constantFrom('a', '.', '')
    fc.assert(
      fc.property(fc.array(fc.tuple(segment, slash), { maxLength: 3 }), dots, slash, (inner, up, cut) => {
        const ups = Array.from({ length: inner.length + 1 }, () => `${up}${cut}`).join('')
        const path = `/allowed/${inner.map(([name, part]) => name + part).join('')}${ups}admin`
        expect(isAllowed(`https://api.example${path}`, below)).toBe(false)
      }),
    )
  })
})

describe('a host', () => {
  it.each<[string, Parameters<typeof toCheck>[0]]>([
    ['https://API.Example/x', { host: 'api.example' }],
    ['https://api.example/x', { host: 'API.EXAMPLE' }],
    ['https://api.example./x', { host: 'api.example' }],
    ['https://api.example:443/x', { host: 'api.example', scheme: 'HTTPS', port: '443' }],
    ['http://api.example/x', { host: 'api.example', port: 80 }],
    ['http://api.example:8080/x', { host: 'api.example:8080' }],
    ['https://bücher.example/x', { host: 'bücher.example' }],
    ['http://[::1]/x', { host: '::1' }],
    ['https://api.example/v1/x', { host: 'https://api.example/v1' }],
    ['https://u:p@api.example/x', { host: 'api.example' }],
  ])('%s is %j', (address, rule) => expect(isAllowed(address, rule)).toBe(true))

  it.each<[string, Parameters<typeof toCheck>[0]]>([
    ['https://api.example.evil/x', { host: 'api.example' }],
    ['https://api.example@evil.example/x', { host: 'api.example' }],
    ['https://evil.example\\@api.example.evil/x', { host: 'api.example' }],
    ['https://evil.example#@api.example/x', { host: 'api.example' }],
    ['https://sub.api.example/x', { host: 'api.example' }],
    ['https://api.example:8443/x', { host: 'https://api.example' }],
    ['http://api.example/x', { host: 'https://api.example' }],
    ['https://api.example/v2/x', { host: 'https://api.example/v1' }],
    ['https://api.example/x', { host: 'https://api.example/', endpoint: 'v1' }],
  ])('%s is not %j', (address, rule) => expect(isAllowed(address, rule)).toBe(false))

  it('that is none is an error of the list', () => {
    expect(() => toCheck({ host: 'a b' })).toThrow('is not a host')
  })
})

describe('every request is checked before it is sent', () => {
  const only = (endpoint: string): Pick<Settings, 'root'> => ({
    root: { image_parameters: { allowed_hosts: [{ host: '127.0.0.1', endpoint }] } },
  })
  const refused = 'is not in the allowed hosts whitelist'
  const elsewhere = '/data/%2e%2e/admin'

  it.each<[string, Settings, Answer]>([
    ['a job', { config: { jobs: [{ endpoint: elsewhere }] } }, () => []],
    [
      'the login',
      {
        api: {
          authentication: { type: 'login', loginRequest: { endpoint: 'login' }, apiRequest: {} },
        },
        config: { jobs: [{ endpoint: 'data/x' }] },
      },
      () => ({}),
    ],
    [
      'a next page',
      {
        api: { pagination: { method: 'response.url', urlKey: 'next' } },
        config: { jobs: [{ endpoint: 'data/x' }] },
      },
      () => ({ items: [1], next: elsewhere }),
    ],
    [
      'a link in a header',
      { api: { pagination: { method: 'header-link' } }, config: { jobs: [{ endpoint: 'data/x' }] } },
      (_, response) => {
        response.setHeader('link', `<${elsewhere}>; rel="next"`)
        return [{ id: 1 }]
      },
    ],
    [
      'a scroll request',
      {
        api: {
          pagination: {
            method: 'response.param',
            responseParam: 'cursor',
            queryParam: 'c',
            scrollRequest: { endpoint: elsewhere },
          },
        },
        config: { jobs: [{ endpoint: 'data/x' }] },
      },
      () => ({ items: [1], cursor: 'a' }),
    ],
    [
      'the target of a redirect',
      { config: { jobs: [{ endpoint: 'data/x' }] } },
      (_, response) => response.writeHead(302, { location: elsewhere }).end(),
    ],
    [
      'a child',
      {
        config: {
          jobs: [
            {
              endpoint: 'data/x',
              children: [{ endpoint: 'data/{id}/y', placeholders: { id: 'id' } }],
            },
          ],
        },
      },
      () => [{ id: '../../admin' }],
    ],
  ])('%s', async (_, settings, answer) => {
    const { error, requests } = await runExtraction(answer, {
      ...settings,
      ...only('data'),
    })
    expect(error?.message).toContain(refused)
    expect(error).toMatchObject({ code: 'extractor.address.notAllowed' })
    expect(requests.filter(({ url }) => !url.startsWith('/data/x'))).toEqual([])
  })

  it('a new login by a rule, and where that is redirected to', async () => {
    let logins = 0
    const { error, requests } = await runExtraction(
      (request, response) => {
        if (request.path === '/data/login' && logins++ > 0)
          return response.writeHead(307, { location: '/data/../admin' }).end()
        if (request.path === '/data/login') return { token: 't' }
        response.statusCode = 401
        return {}
      },
      {
        ...only('data'),
        api: {
          http: { errorRules: [{ when: { status: 401 }, do: 'login' }] },
          authentication: {
            type: 'login',
            loginRequest: { endpoint: 'data/login' },
            apiRequest: { headers: { 'X-Token': 'token' } },
          },
        },
        config: { jobs: [{ endpoint: 'data/x' }] },
      },
    )
    expect(error?.message).toContain(refused)
    expect(requests.map(({ path }) => path)).toEqual(['/data/login', '/data/x', '/data/login'])
  })
  it('lets a login through that is allowed', async () => {
    const { error } = await runExtraction(request => (request.path === '/data/login' ? { token: 't' } : []), {
      ...only('data'),
      api: {
        authentication: {
          type: 'login',
          loginRequest: { endpoint: 'data/login' },
          apiRequest: { headers: { 'X-Token': 'token' } },
        },
      },
      config: { jobs: [{ endpoint: 'data/x' }] },
    })
    expect(error).toBeUndefined()
  })
})
