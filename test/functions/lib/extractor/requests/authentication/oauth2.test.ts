import { generateKeyPairSync, verify } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { untilEnd } from '#support/until-end.ts'
import { type Answer, startApi } from '../../api-server.ts'
import { extractFrom, runExtraction } from '../../run-extraction.ts'

/** An authorisation server that ends each refresh token when it is used. */
const rotating = (): { answer: Answer; valid: () => string } => {
  let number = 1
  const answer: Answer = ({ path, body, headers }, response) => {
    if (path !== '/token') {
      if (headers.authorization !== `Bearer access-token-${number}`) response.statusCode = 401
      return [{ id: 1 }]
    }
    if (new URLSearchParams(body).get('refresh_token') !== `refresh-token-${number}`) {
      response.statusCode = 400
      return { error: 'invalid_grant' }
    }
    number++
    return {
      access_token: `access-token-${number}`,
      refresh_token: `refresh-token-${number}`,
      expires_in: 60,
    }
  }
  return { answer, valid: () => `refresh-token-${number}` }
}

const refresh = {
  api: {
    authentication: {
      type: 'oauth2',
      grant: 'refresh_token',
      tokenUrl: 'token',
      clientId: 'app',
      refreshToken: { attr: '#refresh' },
    },
  },
  config: { '#refresh': 'refresh-token-1' },
}

it('the address of a login is made of a secret setting, which no log shows, and headers go to its origin', async () => {
  const login = await startApi(({ path }) => (path === '/tenant-4711/token' ? { access_token: 'at1' } : []))
  try {
    const { requests, logs, error } = await runExtraction(
      ({ headers }) => [{ sent: headers.authorization }],
      {
        api: {
          authentication: {
            type: 'oauth2',
            grant: 'client_credentials',
            tokenUrl: { function: 'concat', args: [`${login.origin}/`, { attr: '#tenant' }, '/token'] },
            clientId: 'app',
            clientSecret: { attr: '#secret' },
          },
        },
        config: { '#tenant': 'tenant-4711', '#secret': 'client-secret', jobs: [{ endpoint: 'items' }] },
      },
    )
    expect(error).toBeUndefined()
    expect(login.requests.map(({ method, path, headers }) => [method, path, headers.authorization])).toEqual([
      ['POST', '/tenant-4711/token', `Basic ${Buffer.from('app:client-secret').toString('base64')}`],
    ])
    expect(requests[0]?.headers.authorization).toBe('Bearer at1')
    expect(JSON.stringify(logs)).not.toContain('tenant-4711')
  } finally {
    await login.close()
  }
})

describe('a refresh token that is replaced', () => {
  it('is kept before the access token is used, so that a run that fails does not lose it', async () => {
    const server = rotating()
    const kept: Record<string, unknown>[] = []
    const { error, logs } = await runExtraction(
      (request, response) => {
        if (request.path !== '/items') return server.answer(request, response)
        expect(kept).toHaveLength(1)
        response.statusCode = 410
        return { echo: request.headers.authorization, old: 'refresh-token-1', next: server.valid() }
      },
      {
        ...refresh,
        options: {
          state: { custom: 1 },
          keepState: async state => {
            kept.push(state)
          },
        },
      },
    )
    expect(error).toMatchObject({ code: 'extractor.response.status' })
    expect(kept).toEqual([
      {
        custom: 1,
        millrace: {
          refreshTokens: [{ '#configured': 'refresh-token-1', '#current': 'refresh-token-2' }],
        },
      },
    ])
    expect(JSON.stringify([error?.message, logs])).not.toMatch(/(refresh|access)-token-\d/)
  })

  it('is good for the next run, and a newly configured one wins over it', async () => {
    const server = rotating()
    const api = await untilEnd(startApi(server.answer))
    const first = await extractFrom(api.origin, refresh)
    expect(first.error).toBeUndefined()
    const state = first.result?.finished === true ? first.result.state : undefined
    const second = await extractFrom(api.origin, { ...refresh, options: { state } })
    expect(second.error).toBeUndefined()
    const stale = await extractFrom(api.origin, { ...refresh, options: { state } })
    expect(stale.error?.message).toContain('invalid_grant')
    const config = { '#refresh': server.valid() }
    const renewed = await extractFrom(api.origin, { ...refresh, config, options: { state } })
    expect(renewed.error).toBeUndefined()
  })

  it('stops the run when it cannot be kept', async () => {
    const { error, requests } = await runExtraction(rotating().answer, {
      ...refresh,
      options: {
        keepState: async () => {
          throw new Error('disk full')
        },
      },
    })
    expect(error?.message).toContain('disk full')
    expect(requests.map(({ path }) => path)).toEqual(['/token'])
  })
})

describe('a token request', () => {
  it.each([
    [{ grant: 'client_credentials', clientId: 'a' }, '"grant": "client_credentials" needs "clientSecret"'],
    [{ grant: 'refresh_token' }, '"grant": "refresh_token" needs "refreshToken"'],
    [{ grant: 'jwt_bearer' }, '"grant": "jwt_bearer" needs "assertion"'],
    [{ grant: 'password' }, 'grant'],
  ])('with %j is refused', async (settings, message) => {
    const { error } = await runExtraction(() => [], {
      api: { authentication: { type: 'oauth2', tokenUrl: 'token', ...settings } },
    })
    expect(error).toMatchObject({ code: 'extractor.config.invalid' })
    expect(error?.message).toContain(message)
  })

  it.each([{}, { access_token: '' }, { access_token: null }])(
    'that is answered by %j is an error',
    async body => {
      const { error } = await runExtraction(() => body, {
        ...refresh,
      })
      expect(error).toMatchObject({ code: 'extractor.authentication.oauth' })
    },
  )

  it('is sent once for requests that come at the same time', async () => {
    const { requests, error } = await runExtraction(
      ({ path }) => (path === '/token' ? { access_token: 'at' } : [{ id: 1 }]),
      {
        api: {
          authentication: {
            type: 'oauth2',
            grant: 'client_credentials',
            tokenUrl: 'token',
            clientId: 'a',
            clientSecret: 'b-secret',
          },
        },
        config: { jobs: ['a', 'b', 'c', 'd'].map(endpoint => ({ endpoint })) },
      },
    )
    expect(error).toBeUndefined()
    expect(requests.filter(({ path }) => path === '/token')).toHaveLength(1)
  })
})

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })

const pem = (key: typeof rsa.privateKey, type: 'pkcs1' | 'pkcs8' | 'sec1'): string =>
  key.export({ format: 'pem', type }).toString()

const jwtWith = (algorithm: string, key: string) => ({
  api: { authentication: { type: 'jwt', algorithm, key: { attr: '#key' }, claims: { iss: 'me' } } },
  config: { '#key': key },
})

describe('a signed token', () => {
  it.each([
    ['RS256', pem(rsa.privateKey, 'pkcs8'), rsa.publicKey, {}],
    ['RS256', pem(rsa.privateKey, 'pkcs1'), rsa.publicKey, {}],
    ['RS256', pem(rsa.privateKey, 'pkcs8').replaceAll('\n', '\\n'), rsa.publicKey, {}],
    ['ES256', pem(ec.privateKey, 'sec1'), ec.publicKey, { dsaEncoding: 'ieee-p1363' as const }],
  ])('%s is one that the public key verifies', async (algorithm, key, publicKey, form) => {
    const { requests, error } = await runExtraction(() => [{ id: 1 }], {
      ...jwtWith(algorithm, key),
      options: { now: () => 1_772_352_000.5 },
    })
    expect(error).toBeUndefined()
    const [header = '', claims = '', signature = ''] = (
      requests[0]?.headers.authorization?.replace('Bearer ', '') ?? ''
    ).split('.')
    const signed = Buffer.from(`${header}.${claims}`)
    expect(verify('sha256', signed, { key: publicKey, ...form }, Buffer.from(signature, 'base64url'))).toBe(
      true,
    )
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toEqual({
      iat: 1_772_352_000,
      iss: 'me',
      exp: 1_772_355_600,
    })
  })

  it.each([
    ['RS256', pem(ec.privateKey, 'pkcs8'), 'an RSA key of at least 2048 bits'],
    ['ES256', pem(rsa.privateKey, 'pkcs8'), 'a key of the curve P-256'],
    ['HS256', '', 'the key is empty'],
  ])('%s refuses a key of another kind', async (algorithm, key, message) => {
    const { error, requests } = await runExtraction(() => [], jwtWith(algorithm, key))
    expect(error).toMatchObject({ code: 'extractor.authentication.jwt' })
    expect(error?.message).toContain(message)
    expect(requests).toEqual([])
  })

  it('by a key that is none is an error that does not show it', async () => {
    const { error, requests } = await runExtraction(() => [], jwtWith('RS256', 'no-private-key-at-all'))
    expect(error).toMatchObject({ code: 'extractor.authentication.jwt' })
    expect(error?.message).not.toContain('no-private-key-at-all')
    expect(requests).toEqual([])
  })
})
