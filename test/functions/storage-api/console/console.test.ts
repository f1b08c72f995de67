import { describe, expect, it } from 'vitest'
import { hexDigest } from '#functions/lib/digests.ts'
import { createConsole } from '#functions/storage-api/console/console.tsx'
import { routes } from '#functions/storage-api/console/routes.ts'
import { withConsole } from '#functions/storage-api/console/with-console.ts'
import { withStorage } from '#support/storage-service.ts'

const ORIGIN = 'https://storage.test'
const assets = new Map([
  ['console-1.js', { type: 'text/javascript', body: new Uint8Array([1]) }],
  ['console-1.css', { type: 'text/css', body: new Uint8Array([2]) }],
])

const logged: Error[] = []

let now = Date.now()
const service = await withStorage({ now: () => new Date(now) })
const app = withConsole(service.app, async () =>
  createConsole({
    ...service.stores,
    api: service.app,
    assets: () => assets,
    storeOrigins: ['https://store.test'],
    now: () => new Date(),
    log: { error: (_, error) => logged.push(error) },
  }),
)
const fetchPage = async (path: string, init: RequestInit = {}) =>
  app.fetch(new Request(`${ORIGIN}${path}`, init))

const signIn = async (token: string): Promise<string> => {
  const response = await trySignIn({ token })
  return response.headers.getSetCookie().at(-1) ?? ''
}

const trySignIn = (form: Record<string, string>, headers: Record<string, string> = {}) =>
  fetchPage('/console/sign-in', {
    method: 'POST',
    headers: { origin: ORIGIN, 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(form),
  })

const newToken = async (settings: Record<string, unknown> = {}): Promise<{ id: string; token: string }> =>
  (await service.call('POST', '/v2/storage/tokens', settings)).body

const cookieOf = async (token: string): Promise<Record<string, string>> => ({
  cookie: (await signIn(token)).split(';')[0] ?? '',
})

describe('signing in', () => {
  it('is asked for on every page, and leads to the page', async () => {
    const response = await fetchPage('/console/jobs?status=error&limit=5')
    const location = response.headers.get('location') ?? ''
    expect([response.status, location]).toEqual([
      303,
      '/console/sign-in?to=%2Fconsole%2Fjobs%3Fstatus%3Derror%26limit%3D5',
    ])
    expect(await (await fetchPage(location)).text()).toContain(
      'value="/console/jobs?status=error&amp;limit=5"',
    )
    const signedIn = await trySignIn({ token: service.token, to: '/console/jobs?status=error&limit=5' })
    expect(signedIn.headers.get('location')).toBe('/console/jobs?status=error&limit=5')
  })

  it('by a link that a command made works once, and not from a page of somebody else', async () => {
    const ask = (token: string) =>
      fetchPage('/console/sign-in/link', {
        method: 'POST',
        headers: { origin: ORIGIN, 'x-storageapi-token': token },
      })
    const { url } = (await (await ask(service.token)).json()) as { url: string } // The reply of the route.
    const { pathname, search } = new URL(url)
    const open = (site: string) => fetchPage(pathname + search, { headers: { 'sec-fetch-site': site } })
    const foreign = await open('cross-site')
    expect([foreign.status, foreign.headers.get('set-cookie')]).toEqual([401, null])
    const first = await open('none')
    expect([first.status, first.headers.get('location')]).toEqual([303, '/console'])
    const cookie = first.headers.get('set-cookie')?.split(';')[0] ?? ''
    expect((await fetchPage('/console', { headers: { cookie } })).status).toBe(200)
    expect((await open('none')).status).toBe(401)
    expect((await ask('1-1-wrong')).status).toBe(401)
  })

  it.each([
    'https://evil.test/console',
    '//evil.test/console',
    String.raw`/\evil.test/console`,
    String.raw`\\evil.test\console`,
    '/console/../v2/storage/tokens',
    '/console/%2e%2e/v2/storage',
    '/console\n/../v2/storage',
    'javascript:alert(1)',
    '/consoles',
    '/console/sign-in?to=/console/sign-in',
    '',
  ])('leads nowhere but to the console: %j', async to => {
    const { headers } = await trySignIn({ token: service.token, to })
    expect(headers.get('location')).toBe('/console')
  })

  it('keeps a random id where no script and no other site reaches it', async () => {
    const cookie = await signIn(service.token)
    for (const part of ['__Host-', 'HttpOnly', 'SameSite=Strict', 'Path=/;', 'Secure'])
      expect(cookie).toContain(part)
    expect(cookie).not.toContain(service.token)
    expect(cookie).not.toBe(await signIn(service.token))
  })

  it('stores neither the id nor the token in clear', async () => {
    const id = /millrace_session=([^;]+)/.exec(await signIn(service.token))?.[1] ?? ''
    const item = await service.items.get({ pk: `CONSOLE_SESSION#${hexDigest(id)}`, sk: 'SESSION' })
    expect(item).toMatchObject({ sealedToken: expect.any(String), expiresAt: expect.any(Number) })
    expect(JSON.stringify(item)).not.toContain(id)
    expect(JSON.stringify(item)).not.toContain(service.token)
  })

  it('with a token that is none sets no cookie', async () => expect(await signIn('no-such-token')).toBe(''))

  it('is refused for a while after ten fruitless tries with a token from an address, and nobody else is', async () => {
    const { id, token } = await newToken()
    const from = (address: string, value: string) =>
      trySignIn({ token: value }, { 'x-forwarded-for': `198.51.100.9, ${address}` })
    const tries = Array.from({ length: 12 }, () => from('203.0.113.1', `7-${id}-guess`))
    const statuses = (await Promise.all(tries)).map(({ status }) => status)
    expect(statuses.filter(status => status === 401)).toHaveLength(10)
    const refused = await from('203.0.113.1', token)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '600'])
    expect(await refused.text()).toContain('millrace open makes a link')
    expect((await from('203.0.113.2', token)).status).toBe(303)
    expect((await from('203.0.113.1', service.token)).status).toBe(303)
    expect((await service.call('GET', '/v2/storage/tokens/verify')).status).toBe(200)
    now += 601_000
    expect((await from('203.0.113.1', token)).status).toBe(303)
  })

  it('by links is refused after ten that were none, while the form takes a token', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.7' }
    const statuses: number[] = []
    for (let tried = 0; tried < 11; tried++)
      statuses.push((await fetchPage(`/console/sign-in/link?id=guess${tried}`, { headers })).status)
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429])
    expect((await trySignIn({ token: service.token }, headers)).status).toBe(303)
    const ask = () =>
      fetchPage('/console/sign-in/link', {
        method: 'POST',
        headers: { ...headers, origin: ORIGIN, 'x-storageapi-token': '7-77-guess' },
      })
    const asked: number[] = []
    for (let tried = 0; tried < 11; tried++) asked.push((await ask()).status)
    expect(asked).toEqual([...Array.from({ length: 10 }, () => 401), 429])
  })
})

describe('a session', () => {
  const jobsWith = (headers: Record<string, string>) => fetchPage('/console/jobs', { headers })

  it('ends with sign-out, wherever its id is kept', async () => {
    const headers = await cookieOf(service.token)
    expect((await jobsWith(headers)).status).toBe(200)
    const signedOut = await fetchPage('/console/sign-out', {
      method: 'POST',
      headers: { ...headers, origin: ORIGIN },
    })
    expect(signedOut.headers.get('set-cookie')).toContain('Max-Age=0')
    expect((await jobsWith(headers)).status).toBe(303)
  })

  it('ends when its browser signs in anew', async () => {
    const headers = await cookieOf(service.token)
    await trySignIn({ token: service.token }, headers)
    expect((await jobsWith(headers)).status).toBe(303)
  })

  it('ends after twelve hours, whether or not its item is gone by then', async () => {
    const headers = await cookieOf(service.token)
    now += 12 * 3600_000 - 60_000
    expect((await jobsWith(headers)).status).toBe(200)
    now += 61_000
    expect((await jobsWith(headers)).status).toBe(303)
  })

  const ends: Record<string, (id: string) => Promise<unknown>> = {
    'is deleted': id => service.call('DELETE', `/v2/storage/tokens/${id}`),
    'is refreshed': id => service.call('POST', `/v2/storage/tokens/${id}/refresh`),
    expires: async () => {
      now += 3601_000
    },
  }
  it.each(Object.entries(ends))('ends when its token %s', async (_, end) => {
    const { id, token } = await newToken({ expiresIn: 3600 })
    const headers = await cookieOf(token)
    expect((await jobsWith(headers)).status).toBe(200)
    await end(id)
    const refused = await jobsWith(headers)
    expect([refused.status, refused.headers.get('set-cookie')]).toEqual([
      401,
      expect.stringContaining('Max-Age=0'),
    ])
    expect((await jobsWith(headers)).status).toBe(303)
  })

  it('is no token of the API', async () => {
    const { cookie = '' } = await cookieOf(service.token)
    const value = cookie.split('=')[1] ?? ''
    expect(
      (await service.call('GET', '/v2/storage/tokens/verify', undefined, { 'X-StorageApi-Token': value }))
        .status,
    ).toBe(401)
  })
})

describe('a page', () => {
  it('allows scripts and styles of its own only, and no frame around it', async () => {
    const policy = (await fetchPage('/console/sign-in')).headers.get('content-security-policy')
    expect(policy).toContain("script-src 'self'; style-src 'self'")
    expect(policy).toContain("connect-src 'self' https://store.test")
    expect(policy).toContain("frame-ancestors 'none'")
  })

  it('shows what others wrote as text, never as markup', async () => {
    const name = '<img src=x onerror=alert(1)>'
    await service.call('POST', '/v2/storage/components/ex-generic-v2/configs', {
      name,
      configurationId: 'markup',
    })
    const page = await fetchPage('/console/configurations', { headers: await cookieOf(service.token) })
    const text = await page.text()
    expect(text).toContain('&lt;img src=x')
    expect(text).not.toContain(name)
  })

  it('shows what the token may see, and nothing else', async () => {
    await service.call('POST', '/v2/storage/buckets', { stage: 'in', name: 'open' })
    await service.call('POST', '/v2/storage/buckets', { stage: 'in', name: 'closed' })
    const { body } = await service.call('POST', '/v2/storage/tokens', {
      bucketPermissions: { 'in.c-open': 'read' },
    })
    const page = await fetchPage('/console/tables', { headers: await cookieOf(body.token) })
    const text = await page.text()
    expect(text).toContain('in.c-open')
    expect(text).not.toContain('in.c-closed')
    for (const path of ['/console/tokens', '/console/dead-letters']) expect(text).not.toContain(path)
  })

  it('that is not there is a 404 with a sentence, also for a table', async () => {
    const headers = await cookieOf(service.token)
    expect((await fetchPage('/console/nothing', { headers })).status).toBe(404)
    const table = await fetchPage('/console/tables/in.c-none.none', { headers })
    expect([table.status, await table.text()]).toEqual([404, expect.stringContaining('was not found')])
    expect(logged).toEqual([])
  })

  it('is small: under 30 kB before it is compressed', async () => {
    const page = await fetchPage('/console', { headers: await cookieOf(service.token) })
    expect((await page.text()).length).toBeLessThan(30_000)
  })
})

describe('a form', () => {
  const forms = [
    ...routes.filter(({ method }) => method === 'POST').map(({ path }) => path),
    ...['sign-in', 'sign-in/link', 'sign-out', 'drop/upload', 'drop/load'].map(name => `/console/${name}`),
  ]
  const bodies = {
    'application/x-www-form-urlencoded': 'description=stolen&canManageBuckets=1',
    'application/json': '{"description":"stolen"}',
    'text/plain': '',
    '': '',
  }
  it.each(forms)('of another site is refused, whatever its body is: %s', async form => {
    const path = form.replaceAll(/:\w+/g, 'x')
    const { cookie = '' } = await cookieOf(service.token)
    const origins: Record<string, string>[] = [
      { origin: 'https://evil.test' },
      { origin: 'null' },
      { 'sec-fetch-site': 'same-site' },
      {},
    ]
    for (const origin of origins)
      for (const [type, body] of Object.entries(bodies)) {
        const headers = new Headers({ cookie, ...origin })
        if (type !== '') headers.set('content-type', type)
        const response = await fetchPage(path, { method: 'POST', headers, body: Buffer.from(body) })
        expect([path, type, response.status]).toEqual([path, type, 403])
      }
    const { body } = await service.call('GET', '/v2/storage/tokens')
    expect(JSON.stringify(body)).not.toContain('stolen')
  })

  it('of the drop with fields that make no sense is refused with a sentence', async () => {
    const headers = { ...(await cookieOf(service.token)), origin: ORIGIN, 'content-type': 'application/json' }
    const response = await fetchPage('/console/drop/upload', {
      method: 'POST',
      headers,
      body: '{"bytes":-1}',
    })
    expect([response.status, await response.json()]).toEqual([
      400,
      { error: expect.stringContaining('name') },
    ])
  })
})

it('what a form did is said on the next page, once, and a note that somebody else wrote is not', async () => {
  const { cookie = '' } = await cookieOf(service.token)
  const { id } = await newToken()
  const done = await fetchPage(`/console/tokens/${id}/delete`, {
    method: 'POST',
    headers: { cookie, origin: ORIGIN },
  })
  const note = done.headers.getSetCookie().at(-1)?.split(';')[0] ?? ''
  const shown = await fetchPage('/console/tokens', { headers: { cookie: `${cookie}; ${note}` } })
  expect(await shown.text()).toContain('The token was deleted.')
  expect(shown.headers.get('set-cookie')).toContain('millrace_said=;')
  const undo = { text: 'Sign in again', undo: { action: 'https://evil.test/' } }
  const valid = decodeURIComponent(note.split('=')[1] ?? '').split('.')[0]
  const another = { text: 'Sign in again' }
  for (const written of [
    undo,
    another,
    `${valid}.`,
    `.${JSON.stringify(another)}`,
    `${valid}.${JSON.stringify(another)}`,
  ]) {
    const text = typeof written === 'string' ? written : JSON.stringify(written)
    const forged = `millrace_said=${encodeURIComponent(text)}`
    const page = await fetchPage('/console/tokens', { headers: { cookie: `${cookie}; ${forged}` } })
    expect([page.status, (await page.text()).includes('Sign in again')]).toEqual([200, false])
  }
})

it.each([
  ['same-origin', 200],
  ['none', 200],
  ['same-site', 303],
  ['cross-site', 303],
])('a session counts for requests from our own pages: from %s it gives %i', async (from, status) => {
  const headers = { ...(await cookieOf(service.token)), 'sec-fetch-site': from }
  expect((await fetchPage('/console/tokens', { headers })).status).toBe(status)
})

it('nothing but assets may be kept by browsers and proxies', async () => {
  const headers = await cookieOf(service.token)
  for (const path of ['/console', '/console/jobs', '/console/nothing', '/console/sign-in'])
    expect([path, (await fetchPage(path, { headers })).headers.get('cache-control')]).toEqual([
      path,
      'no-store',
    ])
  for (const path of ['/console', '/console/sign-in'])
    expect((await fetchPage(path)).headers.get('cache-control')).toBe('no-store')
})

it('assets may be kept for good', async () => {
  const response = await fetchPage('/console/assets/console-1.js')
  expect(response.headers.get('cache-control')).toContain('immutable')
  expect((await fetchPage('/console/assets/other.js')).status).toBe(404)
})

it.each(['/', '/console/'])('%s leads a person to the console', async path => {
  const response = await fetchPage(path, { headers: { accept: 'text/html' } })
  expect([response.status, response.headers.get('location')]).toEqual([303, '/console'])
})

it('/ answers a client as the API does', async () => {
  expect((await fetchPage('/')).headers.get('content-type')).toContain('application/json')
})

it('other paths are those of the API', async () => {
  expect((await fetchPage('/consoles')).headers.get('content-type')).toContain('application/json')
})
