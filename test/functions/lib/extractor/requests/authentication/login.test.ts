import { describe, expect, it } from 'vitest'
import type { Answer } from '../../api-server.ts'
import { runExtraction, type Settings } from '../../run-extraction.ts'
import { runInLegs } from '../../run-in-legs.ts'

/** Logs in with a new token each time and asks for the latest token on data requests. */
const withTokens = (credentials: (login: number) => unknown): Answer => {
  let logins = 0
  return request => {
    if (request.path === '/login') return credentials(++logins)
    return [{ id: request.query.get('page') ?? request.path }]
  }
}

const login = (over: object = {}): Settings['api'] => ({
  authentication: {
    type: 'login',
    loginRequest: { endpoint: 'login', params: { user: { attr: '#user' } } },
    apiRequest: { headers: { 'X-Token': { response: 'auth.token' } } },
    ...over,
  },
})

const jobs = [{ endpoint: 'a' }, { endpoint: 'b' }, { endpoint: 'c' }]
const config = { '#user': 'me', jobs }

const paths = (requests: { path: string }[]): string[] => requests.map(({ path }) => path)

describe('login', () => {
  it('is sent once before all other requests, its values on each of them', async () => {
    const { requests, error, result } = await runExtraction(
      withTokens(n => ({ auth: { token: `t${n}` } })),
      { api: login(), config },
    )
    expect(error).toBeUndefined()
    expect(result?.summary.logins).toBe(1)
    expect(requests[0]?.url).toBe('/login?user=me')
    expect(paths(requests).filter(path => path === '/login')).toHaveLength(1)
    expect(requests.slice(1).map(({ headers }) => headers['x-token'])).toEqual(['t1', 't1', 't1'])
  })

  it.each([0, '0', -1, '-1'])('repeats before every request when expires is %j', async expires => {
    const { requests, result } = await runExtraction(
      withTokens(n => ({ auth: { token: `t${n}` } })),
      { api: login({ expires }), config },
    )
    expect(result?.summary.logins).toBe(3)
    expect(paths(requests)).toEqual(['/login', '/a', '/login', '/b', '/login', '/c'])
    expect(requests.filter(({ path }) => path !== '/login').map(({ headers }) => headers['x-token'])).toEqual(
      ['t1', 't2', 't3'],
    )
  })

  it('is shared by jobs whose own is the same, and stays apart from that of the API', async () => {
    const answer = withTokens(n => ({ auth: { token: `t${n}` } }))
    const own = login()?.['authentication']
    const { requests, result } = await runExtraction(answer, {
      api: login({ loginRequest: { endpoint: 'login', params: { user: 'api' } }, expires: 3600 }),
      config: { ...config, jobs: jobs.map((job, at) => (at === 0 ? job : { ...job, authentication: own })) },
    })
    expect(result?.summary.logins).toBe(2)
    expect(
      requests
        .filter(({ path }) => path === '/login')
        .map(({ url }) => url)
        .sort(),
    ).toEqual(['/login?user=api', '/login?user=me'])
    const tokens = Object.fromEntries(requests.map(({ path, headers }) => [path, headers['x-token']]))
    expect(tokens['/b']).toBe(tokens['/c'])
    expect(tokens['/a']).not.toBe(tokens['/b'])
  })

  it('repeats when the seconds are over', async () => {
    let clock = 1000
    const answer = withTokens(n => ({ auth: { token: `t${n}` } }))
    const { requests } = await runExtraction(
      (request, response) => {
        if (request.path === '/b') clock += 60
        return answer(request, response)
      },
      {
        api: { ...login({ expires: '60' }) },
        config: { '#user': 'me', jobs },
        options: { now: () => clock, concurrency: 1 },
      },
    )
    expect(paths(requests)).toEqual(['/login', '/a', '/b', '/login', '/c'])
  })

  it.each([
    ['a date-time', { response: 'until' }, new Date(2_000_000).toISOString(), 2000],
    ['a timestamp', { response: 'until' }, 2000, 2000],
    ['seconds from now', { response: 'until', relative: true }, 1000, 2000],
    ['seconds as text', { response: 'until', relative: true }, '1000', 2000],
  ])('repeats when %s of the response is reached', async (_, expires, until, reached) => {
    let clock = 1000
    const answer = withTokens(() => ({ auth: { token: 't' }, until }))
    const { requests, error } = await runExtraction(
      (request, response) => {
        if (request.path === '/a') clock = reached - 1
        if (request.path === '/b') clock = reached
        if (request.path === '/login' && clock === reached) return { auth: { token: 't' }, until: null }
        return answer(request, response)
      },
      { api: login({ expires }), config, options: { now: () => clock, concurrency: 1 } },
    )
    expect(error).toBeUndefined()
    expect(paths(requests)).toEqual(['/login', '/a', '/b', '/login', '/c'])
  })

  it('refuses credentials that expired before they came', async () => {
    const { error } = await runExtraction(
      withTokens(() => ({ auth: { token: 't' }, until: 5 })),
      {
        api: login({ expires: { response: 'until' } }),
        config,
        options: { now: () => 1000 },
      },
    )
    expect(error?.message).toContain("Login authentication returned expiry time before current time: '5'")
  })

  it.each([
    ['GET', undefined, '/login?user=me', ''],
    ['POST', 'application/json', '/login', '{"user":"me"}'],
    ['FORM', 'application/x-www-form-urlencoded', '/login', 'user=me'],
  ])('sends params by %s', async (method, type, url, body) => {
    const { requests } = await runExtraction(
      withTokens(() => ({ auth: { token: 't' } })),
      {
        api: login({ loginRequest: { endpoint: 'login', method, params: { user: { attr: '#user' } } } }),
        config,
      },
    )
    expect(requests[0]).toMatchObject({ url, body, method: method === 'GET' ? 'GET' : 'POST' })
    expect(requests[0]?.headers['content-type']).toBe(type)
  })

  it('ignores the default options but carries the default headers', async () => {
    const { requests } = await runExtraction(
      withTokens(() => ({ auth: { token: 't' } })),
      {
        api: {
          ...login(),
          http: {
            headers: { 'X-App': 'app' },
            defaultOptions: { params: { p: 1 }, headers: { 'X-Default': 'd' } },
          },
        },
        config,
      },
    )
    expect(requests[0]?.url).toBe('/login?user=me')
    expect(requests[0]?.headers).toMatchObject({ 'x-app': 'app' })
    expect(requests[0]?.headers).not.toHaveProperty('x-default')
    expect(requests[1]?.headers).toMatchObject({ 'x-app': 'app', 'x-default': 'd', 'x-token': 't' })
  })

  it('adds query values; clashing names become indexed lists and equal values collapse', async () => {
    const query = { key: { response: 'auth.token' }, a: { response: 'auth.a' }, same: 'fix' }
    const { requests } = await runExtraction(
      withTokens(() => ({ auth: { token: 't', a: 'login' } })),
      {
        api: login({ apiRequest: { query } }),
        config: { '#user': 'me', jobs: [{ endpoint: 'a', params: { a: 'job', z: 'x y', same: 'fix' } }] },
      },
    )
    expect(requests[1]?.url).toBe('/a?z=x%20y&key=t&a%5B0%5D=job&a%5B1%5D=login&same%5B0%5D=fix')
  })

  it('tries a plain text as a path in the response and keeps it when nothing is found', async () => {
    const headers = { 'X-A': 'auth.token', 'X-B': 'literal' }
    const { requests } = await runExtraction(
      withTokens(() => ({ auth: { token: 't' } })),
      {
        api: login({ apiRequest: { headers } }),
        config,
      },
    )
    expect(requests[1]?.headers).toMatchObject({ 'x-a': 't', 'x-b': 'literal' })
  })

  it('keeps the text of the response as data', async () => {
    const { requests } = await runExtraction(
      (request, response) => (request.path === '/login' ? response.end('tok en') : [{ id: 1 }]),
      {
        api: login({ format: 'text', apiRequest: { headers: { 'X-Token': { response: 'data' } } } }),
        config,
      },
    )
    expect(requests[1]?.headers['x-token']).toBe('tok en')
  })

  it.each([
    ['a list', [1]],
    ['null', null],
  ])('refuses %s as response', async (_, value) => {
    const { error } = await runExtraction(request => (request.path === '/login' ? value : []), {
      api: login(),
      config,
    })
    expect(error?.message).toContain('an object or a scalar is expected')
  })

  it('takes a scalar as data', async () => {
    const { requests } = await runExtraction(request => (request.path === '/login' ? 'abc' : [{ id: 1 }]), {
      api: login({ apiRequest: { headers: { 'X-Token': { response: 'data' } } } }),
      config,
    })
    expect(requests[1]?.headers['x-token']).toBe('abc')
  })

  const again = { errorRules: [{ when: { status: 401 }, do: 'login' }] }

  it('section 3, `expires` absent: once, before all other requests, and never again, whatever the number of legs', async () => {
    let logins = 0
    const answer: Answer = ({ path, query, headers }, response) => {
      if (path === '/login') return { auth: { token: `t${++logins}`, refresh_token: 'kept-elsewhere' } }
      if (headers['x-token'] !== 't1') response.statusCode = 400
      return query.get('page') === '4' ? [] : [{ id: query.get('page') }]
    }
    const settings = {
      api: { ...login(), pagination: { method: 'pagenum' } },
      config: { '#user': 'me', jobs: [{ endpoint: 'a' }, { endpoint: 'b' }] },
    }
    const { requests, legs, checkpoints, tables } = await runInLegs(answer, settings, 1)
    expect(legs).toBeGreaterThan(2)
    expect(requests.filter(request => request.includes('/login'))).toHaveLength(1)
    expect(checkpoints.join()).toContain('t1')
    expect(checkpoints.join()).not.toContain('kept-elsewhere')
    expect(Object.keys(tables)).toEqual(['a', 'b'])
  })

  it('what an earlier leg logged in with is hidden in the next', async () => {
    const answer: Answer = ({ path, query, headers }, response) => {
      if (path === '/login') return { auth: { token: 'a-token-of-the-first-leg' } }
      if (query.get('page') === '1') return [{ id: 1 }]
      response.statusCode = 400
      return { sent: headers['x-token'] }
    }
    const settings = {
      api: { ...login(), pagination: { method: 'pagenum' } },
      config: { '#user': 'me', jobs: [{ endpoint: 'a' }] },
    }
    const error = await runInLegs(answer, settings, 1).catch((reason: unknown) => reason)
    expect(String(error)).toContain('"sent":"***"')
  })

  it('logs in anew on 401, once, where a rule says so', async () => {
    let valid = 2
    const { requests, error } = await runExtraction(
      (request, response) => {
        if (request.path === '/login') return { auth: { token: `t${valid++ - 1}` } }
        if (request.headers['x-token'] === 't1') response.statusCode = 401
        return [{ id: 1 }]
      },
      { api: { ...login(), http: again }, config: { '#user': 'me', jobs: [{ endpoint: 'a' }] } },
    )
    expect(error).toBeUndefined()
    expect(paths(requests)).toEqual(['/login', '/a', '/login', '/a'])

    const refused = await runExtraction(
      (request, response) => {
        if (request.path === '/login') return { auth: { token: 't' } }
        response.statusCode = 401
        return {}
      },
      { api: { ...login(), http: again }, config: { '#user': 'me', jobs: [{ endpoint: 'a' }] } },
    )
    expect(refused.error?.message).toContain('The API request failed: [401]')
    expect(paths(refused.requests)).toEqual(['/login', '/a', '/login', '/a'])
  })

  it('passes on what the broker stored to an OAuth login', async () => {
    const credentials = { '#data': '{"refresh_token":"r1"}', appKey: 'app', '#appSecret': 'secret' }
    const { requests } = await runExtraction(
      withTokens(() => ({ auth: { token: 't' } })),
      {
        api: {
          authentication: {
            type: 'oauth20.login',
            loginRequest: {
              endpoint: 'login',
              method: 'FORM',
              params: {
                refresh: { user: 'refresh_token' },
                id: { consumer: 'client_id' },
                secret: { consumer: 'client_secret' },
              },
            },
            apiRequest: { headers: { 'X-Token': { response: 'auth.token' } } },
          },
        },
        config,
        root: { authorization: { oauth_api: { credentials } } },
      },
    )
    expect(requests[0]?.body).toBe('refresh=r1&id=app&secret=secret')
  })
})
