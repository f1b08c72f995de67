import { describe, expect, it } from 'vitest'
import { createCookies } from '#lib/extractor/requests/http/cookies.ts'
import { resolveUrl } from '#lib/extractor/requests/http/resolve-url.ts'
import { untilEnd } from '#support/until-end.ts'
import { type Answer, startApi } from '../../api-server.ts'
import { rowCount, runExtraction, type Settings } from '../../run-extraction.ts'

const pagenum: Settings = {
  api: { pagination: { method: 'pagenum' }, retryConfig: { maxRetries: 0 } },
  config: { jobs: [{ endpoint: 'items' }] },
}

describe('cookies that a server sets', () => {
  it('go back with the next page, each with its latest value', async () => {
    const { tables, requests, error } = await runExtraction(({ query, headers }, response) => {
      const page = Number(query.get('page'))
      if (headers.cookie !== (page === 1 ? undefined : `sid=s-${page - 1}; lb=a`))
        return response.writeHead(440).end()
      response.setHeader('set-cookie', [`sid=s-${page}; HttpOnly; Path=/`, ...(page === 1 ? ['lb=a'] : [])])
      return page > 3 ? [] : [{ id: page }]
    }, pagenum)
    expect(error).toBeUndefined()
    expect(rowCount(tables['items'])).toBe(3)
    expect(requests).toHaveLength(4)
  })

  it('let a redirect to the same address succeed', async () => {
    const { tables } = await runExtraction(
      ({ headers }, response) =>
        headers.cookie === 'seen=1'
          ? [{ id: 1 }]
          : response.writeHead(302, { location: '/items', 'set-cookie': 'seen=1' }).end(),
      { config: pagenum.config },
    )
    expect(rowCount(tables['items'])).toBe(1)
  })

  it('of a login go with every job, and after a 401 those of the next login do', async () => {
    let logins = 0
    const { tables, error } = await runExtraction(
      ({ path, headers }, response) => {
        if (path === '/login') {
          response.setHeader('set-cookie', `session=login-${++logins}; Path=/`)
          return { ok: true }
        }
        if (path === '/b' && headers.cookie === 'session=login-1') return response.writeHead(401).end()
        return headers.cookie === `session=login-${logins}` ? [{ id: 1 }] : response.writeHead(403).end()
      },
      {
        api: { authentication: { type: 'login', loginRequest: { endpoint: 'login', method: 'POST' } } },
        config: { jobs: [{ endpoint: 'a' }, { endpoint: 'b' }, { endpoint: 'c' }] },
      },
    )
    expect(error).toBeUndefined()
    expect(logins).toBe(2)
    expect(['a', 'b', 'c'].map(name => rowCount(tables[name]))).toEqual([1, 1, 1])
  })

  it('stay with their job', async () => {
    const { requests } = await runExtraction(
      ({ path }, response) => {
        response.setHeader('set-cookie', `cursor=${path.slice(1)}; Path=/`)
        return [{ id: 1 }]
      },
      { config: { jobs: [{ endpoint: 'a' }, { endpoint: 'b' }] } },
    )
    expect(requests.map(({ headers }) => headers.cookie)).toEqual([undefined, undefined])
  })

  it('go to no other host, and never into what is shown', async () => {
    const other = await untilEnd(startApi(() => ({ items: [] })))
    const answer: Answer = ({ query, headers }, response) => {
      response.setHeader('set-cookie', 'sid=secret-98765; Path=/')
      return query.has('page')
        ? { items: [{ id: 2 }], error: `session ${headers.cookie}`, next: `${other.origin}/x` }
        : { items: [{ id: 1 }], next: '/items?page=2' }
    }
    const run = await runExtraction(answer, {
      api: { pagination: { method: 'response.url', urlKey: 'next' } },
      config: { debug: true, jobs: [{ endpoint: 'items', dataField: 'items' }] },
    })
    expect(other.requests[0]?.headers.cookie).toBeUndefined()
    expect(run.requests[1]?.headers.cookie).toBe('sid=secret-98765')
    expect(JSON.stringify([run.result, run.logs])).not.toContain('secret-98765')
  })

  it('leave one that the configuration names as it is', async () => {
    const { requests } = await runExtraction(
      ({ query }, response) => {
        response.setHeader('set-cookie', ['key=other', 'lb=a'])
        return query.get('page') === '1' ? [{ id: 1 }] : []
      },
      { ...pagenum, api: { ...pagenum.api, http: { headers: { Cookie: 'key=mine' } } } },
    )
    expect(requests.map(({ headers }) => headers.cookie)).toEqual(['key=mine', 'key=mine; lb=a'])
  })

  it('are left alone with --compat', async () => {
    const { requests } = await runExtraction(
      ({ query }, response) => {
        response.setHeader('set-cookie', 'lb=a')
        return query.get('page') === '1' ? [{ id: 1 }] : []
      },
      { ...pagenum, options: { compat: true } },
    )
    expect(requests.map(({ headers }) => headers.cookie)).toEqual([undefined, undefined])
  })
})

describe('a cookie', () => {
  const first = 'https://api.shop.test/v1/items?a=/b/'
  it.each<[set: string, asked: string, sent: boolean]>([
    ['a=1', first, true],
    ['a=1', 'https://api.shop.test/v1', true],
    ['a=1', 'https://api.shop.test/v10/items', false],
    ['a=1', 'https://shop.test/v1/items', false],
    ['a=1; Path=/', 'https://api.shop.test:8443/', true],
    ['a=1; Path=/; Domain=.shop.test', 'https://data.shop.test/', true],
    ['a=1; Path=/; Domain=shop.test', 'https://othershop.test/', false],
    ['a=1; Path=/; Domain=other.test', first, false],
    ['a=1; Path=/; Secure', 'http://api.shop.test/', false],
    ['a=1; Max-Age=5', first, true],
    ['a=1; Max-Age=0', first, false],
    ['a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT', first, false],
    ['nothing', first, false],
  ])('%s goes to %s: %s', (set, asked, sent) => {
    const { login } = createCookies(() => 1_800_000_000)
    login.take(resolveUrl(first, ''), { 'set-cookie': set })
    expect(login.of(resolveUrl(asked, '')).map(({ name }) => name)).toEqual(sent ? ['a'] : [])
  })

  it('is forgotten when it expires or is deleted, and the oldest of too many', () => {
    let now = 1_800_000_000
    const { login } = createCookies(() => now)
    const url = resolveUrl(first, '')
    const names = () => login.of(url).map(({ name }) => name)
    login.take(url, { 'set-cookie': ['a=1; Max-Age=5', 'b=2'] })
    now += 6
    expect(names()).toEqual(['b'])
    login.take(url, { 'set-cookie': 'b=; Max-Age=0' })
    expect(names()).toEqual([])
    login.take(url, { 'set-cookie': Array.from({ length: 150 }, (_, at) => `n${at}=1`) })
    expect(names()).toHaveLength(100)
    expect(names()).not.toContain('n49')
  })
})
