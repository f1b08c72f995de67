import { describe, expect, it } from 'vitest'
import { withStorage } from '#support/storage-service.ts'

const service = await withStorage()

const ask = (init: RequestInit) => service.app.fetch(new Request('https://api.test/v2/storage/buckets', init))

describe('a page of another origin', () => {
  it('learns without a token that it may send one', async () => {
    const { status, headers } = await ask({
      method: 'OPTIONS',
      headers: {
        origin: 'https://page.test',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-storageapi-token,content-type',
      },
    })
    expect(status).toBe(204)
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-allow-methods')).toContain('POST')
    expect(headers.get('access-control-allow-headers')).toContain('x-storageapi-token')
    expect(headers.has('access-control-allow-credentials')).toBe(false)
  })

  it.each([
    ['replies', 200, () => service.token],
    ['refusals', 401, () => 'wrong'],
  ])('may read %s', async (_what, expected, token) => {
    const headers = { origin: 'https://page.test', 'x-storageapi-token': token() }
    const reply = await ask({ headers })
    expect([reply.status, reply.headers.get('access-control-allow-origin')]).toEqual([expected, '*'])
  })
})

it('an OPTIONS request that asks for nothing is refused like any other method', async () => {
  expect((await ask({ method: 'OPTIONS' })).status).toBe(405)
})
