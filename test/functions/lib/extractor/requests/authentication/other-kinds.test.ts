import { describe, expect, it } from 'vitest'
import { signatureBase } from '#lib/extractor/requests/authentication/query.ts'
import { resolveUrl } from '#lib/extractor/requests/http/resolve-url.ts'
import { startApi } from '../../api-server.ts'
import { extractFrom, runExtraction } from '../../run-extraction.ts'

const ok = () => [{ id: 1 }]

describe('basic', () => {
  it('sends user name and password of the config, the protected ones first', async () => {
    const { requests } = await runExtraction(ok, {
      api: { authentication: { type: 'basic' } },
      config: { username: 'me', '#password': 's:1', password: 'old' },
    })
    expect(requests[0]?.headers.authorization).toBe(`Basic ${btoa('me:s:1')}`)
  })

  it('also reads them from the base address', async () => {
    const server = await startApi(ok)
    try {
      await extractFrom(server.origin.replace('//', '//me:p%2Bw@'), {})
    } finally {
      await server.close()
    }
    expect(server.requests[0]?.headers.authorization).toBe(`Basic ${btoa('me:p+w')}`)
    expect(resolveUrl('https://me:p%2Bw@a.example/x/', 'y')).toMatchObject({
      href: 'https://a.example/x/y',
      userInfo: 'me:p+w',
    })
  })
})

describe('query', () => {
  it('adds values that may depend on the request; they replace same-named ones', async () => {
    const { requests } = await runExtraction(ok, {
      api: {
        authentication: {
          type: 'query',
          query: {
            key: { attr: '#key' },
            sig: {
              function: 'concat',
              args: [{ query: 'a' }, '-', { request: 'method' }, '-', { request: 'path' }],
            },
            a: 'over',
          },
        },
      },
      config: { '#key': 'k', jobs: [{ endpoint: 'items', params: { a: 'x y' } }] },
    })
    expect(requests[0]?.url).toBe('/items?a=over&key=k&sig=x%20y-GET-%2Fitems')
  })

  it('goes to the address for POST too', async () => {
    const { requests } = await runExtraction(ok, {
      api: { authentication: { type: 'query', query: { key: 'k' } } },
      config: { jobs: [{ endpoint: 'items', method: 'POST', params: { a: 'b/c' } }] },
    })
    expect(requests[0]).toMatchObject({ url: '/items?key=k', body: '{"a":"b\\/c"}' })
  })

  it('needs a query', async () => {
    const { error } = await runExtraction(ok, { api: { authentication: { type: 'query' } } })
    expect(error?.message).toContain("requires 'query' configuration")
  })
})

describe('oauth20', () => {
  const credentials = { '#data': '{"access":"tok"}', appKey: 'app', '#appSecret': 'sec' }

  it('works out headers from the stored data, as text or as JSON', async () => {
    const send = async (format: string | undefined, reference: string) => {
      const { requests } = await runExtraction(ok, {
        api: {
          authentication: {
            type: 'oauth20',
            ...(format === undefined ? {} : { format }),
            headers: {
              Authorization: { function: 'concat', args: ['Bearer ', { authorization: reference }] },
            },
          },
        },
        root: { authorization: { oauth_api: { credentials } } },
      })
      return requests[0]?.headers.authorization
    }
    expect(await send('json', 'data.access')).toBe('Bearer tok')
    expect(await send(undefined, 'data')).toBe('Bearer {"access":"tok"}')
  })

  it('names a missing credential', async () => {
    const { error } = await runExtraction(ok, { api: { authentication: { type: 'oauth20' } } })
    expect(error?.message).toBe('OAuth API credentials not supplied in configuration.')
  })
})

describe('oauth10', () => {
  it('builds the signature base string of RFC 5849, 3.4.1.1', () => {
    const url = resolveUrl('http://example.com/', 'request?b5=%3D%253D&a3=a&c%40=&a2=r%20b')
    const base = signatureBase(
      {
        method: 'POST',
        url,
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: 'c2&a3=2+q',
      },
      {
        oauth_consumer_key: '9djdj82h48djs9d2',
        oauth_token: 'kkk9d7dh3k39sjv7',
        oauth_signature_method: 'HMAC-SHA1',
        oauth_timestamp: '137131201',
        oauth_nonce: '7d8f3e4a',
      },
    )
    expect(base).toBe(
      'POST&http%3A%2F%2Fexample.com%2Frequest&a2%3Dr%2520b%26a3%3D2%2520q%26a3%3Da%26b5%3D%253D%25253D%26c%2540%3D%26c2%3D%26' +
        'oauth_consumer_key%3D9djdj82h48djs9d2%26oauth_nonce%3D7d8f3e4a%26oauth_signature_method%3DHMAC-SHA1%26' +
        'oauth_timestamp%3D137131201%26oauth_token%3Dkkk9d7dh3k39sjv7',
    )
  })

  it('signs each request in the Authorization header', async () => {
    const { requests } = await runExtraction(ok, {
      api: { authentication: { type: 'oauth10' } },
      root: {
        authorization: {
          oauth_api: {
            credentials: {
              '#data': '{"oauth_token":"t","oauth_token_secret":"s"}',
              appKey: 'a',
              '#appSecret': 'b',
            },
          },
        },
      },
    })
    expect(requests[0]?.headers.authorization).toMatch(
      /^OAuth oauth_consumer_key="a", oauth_nonce="\w+", .*oauth_signature="[^"]+"$/,
    )
  })
})

describe('AWS signature', () => {
  const sign = (credentials: object) => ({ aws: { signature: { credentials } } })

  it('signs last', async () => {
    const { requests } = await runExtraction(ok, {
      parameters: sign({ accessKeyId: 'AK', '#secretKey': 'sk', serviceName: 'svc', regionName: 'eu-1' }),
      config: { jobs: [{ endpoint: 'items?a=1' }] },
    })
    expect(requests[0]?.url).toBe('/items?a=1')
    expect(requests[0]?.headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AK\/\d{8}\/eu-1\/svc\/aws4_request, SignedHeaders=/,
    )
  })

  it('needs all of its options', async () => {
    const { error } = await runExtraction(ok, { parameters: sign({ accessKeyId: 'AK' }) })
    expect(error?.message).toBe(
      'Option "#secretKey" under "parameters.aws.signature.credentials" cannot be empty.',
    )
  })
})
