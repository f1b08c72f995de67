import { describe, expect, it } from 'vitest'
import { createConsole } from '#functions/storage-api/console/console.tsx'
import { withConsole } from '#functions/storage-api/console/with-console.ts'
import { withStorage } from '#support/storage-service.ts'

const ORIGIN = 'https://storage.test'
const assets = new Map([
  ['console-1.js', { type: 'text/javascript', body: new Uint8Array([1]) }],
  ['console-1.css', { type: 'text/css', body: new Uint8Array([2]) }],
])

const logged: Error[] = []

const service = await withStorage()
const app = withConsole(service.app, async () =>
  createConsole({
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
  const response = await fetchPage('/console/sign-in', {
    method: 'POST',
    headers: { origin: ORIGIN, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ token }),
  })
  return response.headers.get('set-cookie') ?? ''
}

const cookieOf = async (token: string): Promise<Record<string, string>> => ({
  cookie: (await signIn(token)).split(';')[0] ?? '',
})

describe('signing in', () => {
  it('is asked for on every page', async () => {
    const response = await fetchPage('/console/jobs')
    expect([response.status, response.headers.get('location')]).toEqual([303, '/console/sign-in'])
  })

  it('keeps the token where no script and no other site reaches it', async () => {
    const cookie = await signIn(service.token)
    for (const part of ['HttpOnly', 'SameSite=Strict', 'Path=/console', 'Secure'])
      expect(cookie).toContain(part)
  })

  it('with a token that is none sets no cookie', async () => expect(await signIn('no-such-token')).toBe(''))
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
  })

  it('that is not there is a 404 with a sentence, also for a table', async () => {
    const headers = await cookieOf(service.token)
    expect((await fetchPage('/console/nothing', { headers })).status).toBe(404)
    const table = await fetchPage('/console/tables/in.c-none.none', { headers })
    expect([table.status, await table.text()]).toEqual([404, expect.stringContaining('was not found')])
    expect(logged).toEqual([])
  })

  it('is small: the first view is under 100 kB with its assets', async () => {
    const page = await fetchPage('/console', { headers: await cookieOf(service.token) })
    expect((await page.text()).length).toBeLessThan(30_000)
  })
})

describe('a form', () => {
  it('of another site is refused', async () => {
    const headers = {
      ...(await cookieOf(service.token)),
      origin: 'https://evil.test',
      'content-type': 'application/x-www-form-urlencoded',
    }
    const response = await fetchPage('/console/tokens', {
      method: 'POST',
      headers,
      body: new URLSearchParams({ description: 'stolen' }),
    })
    expect(response.status).toBe(403)
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

it('assets may be kept for good', async () => {
  const response = await fetchPage('/console/assets/console-1.js')
  expect(response.headers.get('cache-control')).toContain('immutable')
  expect((await fetchPage('/console/assets/other.js')).status).toBe(404)
})

it('other paths are those of the API', async () => {
  expect((await fetchPage('/consoles')).headers.get('content-type')).toContain('application/json')
})
