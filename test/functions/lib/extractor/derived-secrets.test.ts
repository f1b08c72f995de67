import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMasker } from '#lib/extractor/requests/masking/masker.ts'
import { untilEnd } from '#support/until-end.ts'
import { type ApiRequest, startApi } from './api-server.ts'
import { type Extraction, extractFrom, runExtraction, type Settings } from './run-extraction.ts'

/** All that a person or another system gets to see of an extraction. */
const shown = ({ error, logs, result }: Extraction, progress: readonly unknown[] = []): string =>
  [
    error?.message,
    error?.stack,
    JSON.stringify(error),
    JSON.stringify(logs),
    JSON.stringify(result?.summary),
    JSON.stringify(progress),
  ].join('\n')

const oauth = (data: string) => ({
  authorization: {
    oauth_api: { credentials: { '#data': data, appKey: 'app-key-1', '#appSecret': 'app-secret-1' } },
  },
})
const tokens =
  '{"oauth_token":"oauth-token-1","oauth_token_secret":"oauth-secret-1","access_token":"access-1"}'
const signature = {
  function: 'hash_hmac',
  args: [
    'sha256',
    { function: 'concat', args: [{ authorization: 'timestamp' }, { request: 'url' }] },
    { authorization: 'data.access_token' },
  ],
}
const derived = { function: 'md5', args: [{ function: 'concat', args: [{ attr: '#key' }, 'salt'] }] }
const config = { debug: true, '#key': 'the-key-itself', jobs: [{ endpoint: 'items' }] }

/** What the request carried that nobody may see, as the API got it. */
type Carried = (request: ApiRequest) => (string | undefined | null)[]
const header =
  (name: string, ...patterns: RegExp[]): Carried =>
  ({ headers }) => {
    const value = String(headers[name])
    return [value, ...patterns.map(pattern => pattern.exec(value)?.[1])]
  }

const cases: [string, Settings, Carried][] = [
  [
    'the Basic header made of user and password',
    {
      api: { authentication: { type: 'basic' } },
      config: { ...config, username: 'me', '#password': 'pass-1' },
    },
    header('authorization', / (.*)/),
  ],
  [
    'OAuth 1.0 signatures',
    { api: { authentication: { type: 'oauth10' } }, config, root: oauth(tokens) },
    header('authorization', /oauth_signature="([^"]*)"/, /oauth_nonce="([^"]*)"/),
  ],
  [
    'OAuth 2.0 headers and signatures in the query',
    {
      api: {
        authentication: {
          type: 'oauth20',
          format: 'json',
          headers: {
            'X-Auth': { function: 'concat', args: ['Bearer ', { authorization: 'data.access_token' }] },
          },
          query: { sig: signature },
        },
      },
      config,
      root: oauth(tokens),
    },
    request => [...header('x-auth')(request), request.query.get('sig')],
  ],
  [
    'signatures of AWS',
    {
      config,
      parameters: {
        aws: {
          signature: {
            credentials: {
              accessKeyId: 'AKIDEXAMPLE',
              '#secretKey': 'aws-secret-1',
              serviceName: 's',
              regionName: 'r',
            },
          },
        },
      },
    },
    header('authorization', /Signature=(\w+)/),
  ],
  [
    'what functions make of a secret in headers and parameters',
    {
      api: { http: { headers: { 'X-Sum': derived } } },
      config: { ...config, jobs: [{ endpoint: 'items', params: { sum: derived } }] },
    },
    request => [...header('x-sum')(request), request.query.get('sum')],
  ],
  [
    'what they make of it in a body',
    {
      config: {
        ...config,
        jobs: [{ endpoint: 'items', method: 'POST', params: { deep: { sum: derived } } }],
      },
    },
    ({ body }) => [JSON.parse(body).deep.sum],
  ],
  [
    'what they make of it in a form',
    {
      config: {
        ...config,
        jobs: [{ endpoint: 'items', method: 'FORM', params: { deep: { sum: derived } } }],
      },
    },
    ({ body }) => [new URLSearchParams(body).get('deep[sum]')],
  ],
  [
    'signatures in the query',
    { api: { authentication: { type: 'query', query: { sig: derived } } }, config },
    ({ query }) => [query.get('sig')],
  ],
  [
    'literal arguments below a # key',
    {
      api: { http: { headers: { 'X-Key': { attr: 'x' } } } },
      config: {
        ...config,
        x: 'literal-argument',
        '#unused': { function: 'md5', args: ['literal-argument'] },
      },
    },
    header('x-key'),
  ],
  [
    'user and password of the base address',
    { api: { baseUrl: 'http://me:address-pass@HOST/' }, config },
    header('authorization', / (.*)/),
  ],
]

/** The server's own address is known when it runs. */
const withHost = (settings: Settings, origin: string): Settings => {
  const baseUrl = String(settings.api?.['baseUrl'] ?? '')
  return baseUrl === ''
    ? settings
    : { ...settings, api: { ...settings.api, baseUrl: baseUrl.replace('HOST', new URL(origin).host) } }
}

describe('what is derived from a secret is masked', () => {
  it.each(cases)('%s', async (_, given, carried) => {
    const seen: string[] = []
    const server = await untilEnd(
      startApi((request, response) => {
        const texts = carried(request).filter(text => typeof text === 'string')
        seen.push(...texts)
        response.statusCode = 400
        const echo = texts.map(text => [
          text,
          encodeURIComponent(text),
          Buffer.from(text).toString('base64url'),
          JSON.stringify(JSON.stringify(text)),
        ])
        return { echo, url: request.url, headers: request.headers, body: request.body }
      }),
    )
    const extraction = await extractFrom(server.origin, withHost(given, server.origin))
    expect(extraction.error?.message).toContain('[400]')
    expect(seen.length).toBeGreaterThan(0)
    const output = shown({ ...extraction, requests: [] })
    for (const secret of seen)
      for (const form of [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64url')])
        expect(output).not.toContain(form)
  })

  it('also in an address that cannot be one', async () => {
    const baseUrl = { function: 'concat', args: ['nothing', { attr: '#key' }] }
    const { error } = await extractFrom('', {
      api: { baseUrl },
      config: { ...config, jobs: [{ endpoint: 'items' }] },
    })
    expect(error?.message).toContain('invalid URL (nothing***)')
  })
})

describe('the tokens of a login', () => {
  const login = {
    type: 'login',
    loginRequest: { endpoint: 'login' },
    apiRequest: { headers: { 'X-Token': { function: 'concat', args: ['Token ', { response: 'id' }] } } },
  }

  it('are masked with everything beside them, also in the next requests', async () => {
    const answer = {
      id: 'tok-id-1',
      refresh_token: 'refresh-1',
      more: { opaque: 'abcdefghijklmnopqrstuvwxyz' },
    }
    const extraction = await runExtraction(
      ({ path, headers }, response) => {
        if (path === '/login') return answer
        response.statusCode = 400
        return { headers, alone: answer }
      },
      { api: { authentication: login }, config },
    )
    expect(extraction.error?.message).toContain('[400]')
    for (const token of ['tok-id-1', 'refresh-1', 'abcdefghijklmnopqrstuvwxyz'])
      expect(shown(extraction)).not.toContain(token)
  })

  it('are not shown by a response that cannot be read', async () => {
    const extraction = await runExtraction((_, response) => response.end('{"token": "half-a-token'), {
      api: { authentication: login },
      config,
    })
    expect(extraction.error?.message).toContain('Invalid JSON response')
    expect(shown(extraction)).not.toContain('half-a-token')
  })
})

describe('nothing is cut before it is masked', () => {
  const secret = 'sekret-0123456789-abcdefghij-0123456789'

  it.each([500, 10_000])('at %i characters of a body', async limit => {
    for (const into of [1, 15, secret.length - 1]) {
      const extraction = await runExtraction(
        (_, response) => {
          response.statusCode = 400
          response.end(`${'ä'.repeat(limit - into)}${secret.repeat(3)}`)
        },
        { config: { ...config, '#token': secret } },
      )
      expect(extraction.error?.message).toContain('(truncated...)')
      expect(shown(extraction)).not.toContain('sek')
    }
  })

  it('shows no part of a secret, whatever its position and surroundings', () => {
    const text = fc.array(
      fc.oneof(fc.constant(secret), fc.string({ unit: fc.constantFrom('ä', 'x', ' '), maxLength: 30 })),
    )
    fc.assert(
      fc.property(text, fc.nat(400), (parts, limit) => {
        const start = createMasker([secret]).maskStart(parts.join(''), limit)
        expect(start).not.toMatch(/[0-9a-jrt]/)
        expect(parts.join('').replaceAll(secret, '***').startsWith(start)).toBe(true)
      }),
    )
  })
})

it('the summary of a run shows no secret', async () => {
  const extraction = await runExtraction(() => [], {
    config: { ...config, jobs: [{ endpoint: 'items?key=the-key-itself' }] },
  })
  expect(extraction.result?.summary.jobs[0]?.endpoint).toBe('items?key=***')
  expect(extraction.result?.summary.jobs[0]?.pages).toBe(1)
})

it('secrets of requests long past are forgotten, so that a long run does not grow', () => {
  const masker = createMasker(['lasting'])
  for (let index = 0; index < 10_000; index++) masker.addPassing([`nonce-${index}.`])
  expect(masker.mask('lasting nonce-0. nonce-9999.')).toBe('*** nonce-0. ***')
})
