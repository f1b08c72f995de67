import { existsSync, readFileSync } from 'node:fs'
import { beforeEach, expect, it } from 'vitest'
import { untilEnd } from '#support/until-end.ts'
import type { Settings } from '../../run-extraction.ts'
import { conditional, NOW, startConditionalApi, tagged } from './conditional-api.ts'

const server = await untilEnd(startConditionalApi())
beforeEach(() => server.forget())

it.each([
  ['no-store', { 'cache-control': 'private, no-store' }],
  ['any request header', { vary: '*' }],
  [
    'a time that is too new to be sure',
    {
      etag: '',
      'last-modified': new Date(NOW * 1000 - 5_000).toUTCString(),
      date: new Date(NOW * 1000).toUTCString(),
    },
  ],
])('keeps no answer with %s', async (_, headers) => {
  server.answer = (request, response) => {
    const value = tagged(request, response, [{ id: 1 }])
    for (const [name, text] of Object.entries(headers)) response.setHeader(name, text)
    return value
  }
  await server.run(conditional)
  await server.run(conditional)
  expect(server.sent()).toEqual(['/items whole', '/items whole'])
  expect(existsSync(server.kept())).toBe(false)
})

it.each([
  ['without the key', {}],
  ['with the key off', { api: { http: { conditional: false } } }],
  [
    'with conditions of its own',
    { api: { http: { conditional: true, headers: { 'Cache-Control': 'no-cache' } } } },
  ],
  [
    'with a proof that nothing is missing',
    { ...conditional, config: { jobs: [{ endpoint: 'items', completeness: 'warn' }] } },
  ],
  [
    'with a rule about headers of good answers',
    {
      api: {
        http: {
          conditional: true,
          errorRules: [{ when: { status: '2xx', header: { name: 'x', exists: true } }, do: 'stop' }],
        },
      },
    },
  ],
  ['in a preview', { ...conditional, options: { maxRows: 3, keptAnswers: undefined } as never }],
])('asks for all of it %s', async (_, settings: Settings) => {
  server.answer = (request, response) => tagged(request, response, [{ id: 1 }])
  await server.run(settings)
  await server.run(settings)
  expect(server.sent()).toEqual(['/items whole', '/items whole'])
})

it('keeps answers apart by who asks', async () => {
  server.answer = (request, response) =>
    tagged(request, response, [{ user: `${request.headers['x-user'] ?? request.query.get('user')}`.length }])
  const as = (user: string, way: 'headers' | 'query'): Settings => ({
    api: {
      http: { conditional: true, ...(way === 'headers' ? { headers: { 'X-User': { attr: '#user' } } } : {}) },
      ...(way === 'query' ? { authentication: { type: 'query', query: { user: { attr: '#user' } } } } : {}),
    },
    config: { '#user': user },
  })
  for (const way of ['headers', 'query'] as const) {
    await server.run(as('anna-with-her-token', way))
    server.api.requests.length = 0
    await server.run(as('boris-with-his-token', way))
    await server.run(as('anna-with-her-token', way))
    await server.run(as('anna-with-her-token', way))
    expect(server.api.requests.map(({ headers }) => headers['if-none-match'] !== undefined)).toEqual([
      false,
      false,
      true,
    ])
  }
})

it('keeps neither what was asked for nor a secret, and says which answers it did not keep', async () => {
  const token = 'the-token-of-the-shop'
  server.answer = (request, response) =>
    tagged(request, response, [
      request.path === '/items' ? { mail: 'anna' } : { echo: request.query.get('token') },
    ])
  const settings: Settings = {
    api: {
      http: { conditional: true },
      authentication: { type: 'query', query: { token: { attr: '#token' } } },
    },
    config: {
      '#token': token,
      jobs: [{ endpoint: 'items', params: { q: 'who-is-it' } }, { endpoint: 'echo' }],
    },
  }
  const { result } = await server.run(settings)
  expect(result.warnings).toEqual([expect.stringContaining('1 answer is not kept for conditional requests')])
  const text = readFileSync(server.kept(), 'latin1')
  expect(text).toContain('anna')
  for (const hidden of [token, 'who-is-it', 'items', Buffer.from(token).toString('base64')])
    expect(text).not.toContain(hidden)
})

it.each([
  [{ answers: 2 }, 2],
  [{ bytes: 1_000 }, 3],
])('keeps no more than %j', async (limits, count) => {
  server.answer = (request, response) =>
    tagged(request, response, [{ id: request.path, more: 'x'.repeat(100) }])
  const settings: Settings = {
    api: { http: { conditional: limits, maxConcurrency: 1 } },
    config: { jobs: Array.from({ length: 6 }, (_, index) => ({ endpoint: `${index}`, dataType: 'all' })) },
  }
  const { result } = await server.run(settings)
  expect(result.summary.traffic.notKept).toBe(6 - count)
  expect(result.warnings).toEqual([expect.stringContaining(`${6 - count} answers are not kept`)])
  expect((await server.run(settings)).result.summary.traffic).toMatchObject({
    unchanged: count,
    notKept: 6 - count,
  })
})
