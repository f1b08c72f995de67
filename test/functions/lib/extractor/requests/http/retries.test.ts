import { describe, expect, it } from 'vitest'
import { rateLimitResetSeconds } from '#lib/extractor/requests/http/rate-limit.ts'
import { parseRetryHeader, retryDelaySeconds } from '#lib/extractor/requests/http/retry-delay.ts'
import { runExtraction } from '../../run-extraction.ts'

const now = 1_700_000_000

describe('the delay before a retry', () => {
  const delay = (retries: number, headers = {}, random = 0) =>
    retryDelaySeconds({ retries, headers, retryHeader: 'Retry-After', now, random })

  it('doubles from one to 512 seconds, the last half at random', () => {
    expect([0, 1, 2, 9, 20].map(retries => delay(retries))).toEqual([0.5, 1, 2, 256, 256])
    expect([0, 1, 2, 9, 20].map(retries => delay(retries, {}, 1))).toEqual([1, 2, 4, 512, 512])
  })

  it.each([
    ['7', 7],
    [String(now + 9), 9],
    [new Date((now + 30) * 1000).toUTCString(), 30],
    ['soon', undefined],
  ])('reads %s', (value, seconds) => {
    expect(parseRetryHeader(value, now)).toBe(seconds)
  })

  it('backs off when the header says nothing useful', () => {
    expect(delay(3, { 'retry-after': '0' })).toBe(4)
    expect(delay(3, { 'retry-after': 'x' })).toBe(4)
    expect(delay(3, { 'retry-after': '11' })).toBe(11)
  })

  it.each([
    [{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '12' }, 12],
    [{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(now + 5) }, 5],
    [{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String((now + 5) * 1000) }, 5],
    [{ 'ratelimit-remaining': '0', 'ratelimit-reset': '3' }, 3],
    [{ 'ratelimit-remaining': '0' }, undefined],
    [{ 'x-ratelimit-remaining': '1', 'x-ratelimit-reset': '12' }, undefined],
    [{}, undefined],
  ])('rate limit %j opens in %s s', (headers, seconds) => {
    expect(rateLimitResetSeconds(headers, now)).toBe(seconds)
  })
})

describe('retries', () => {
  it.each([500, 502, 503, 504, 408, 420, 429])('repeat on %i until it is well', async status => {
    let left = 2
    const { requests, error, result } = await runExtraction((_, response) => {
      if (left-- > 0) {
        response.statusCode = status
        response.setHeader('Retry-After', '0.01')
      }
      return [{ id: 1 }]
    }, {})
    expect(error).toBeUndefined()
    expect(requests).toHaveLength(3)
    expect(result?.summary.retries).toBe(2)
  })

  it.each([400, 403, 404, 501])('do not repeat %i', async status => {
    const { requests, error } = await runExtraction((_, response) => {
      response.statusCode = status
      return { message: 'no' }
    }, {})
    expect(requests).toHaveLength(1)
    expect(error?.message).toContain(`The API request failed: [${status}]`)
    expect(error?.message).toContain('{"message":"no"}')
  })

  it.each([
    ['a limit that opens', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '0.01' }, 2],
    ['a wait', { 'retry-after': '0.01' }, 2],
    ['requests that are left', { 'x-ratelimit-remaining': '7', 'x-ratelimit-reset': '0.01' }, 1],
  ])('of a 403 depend on what it says: %s', async (_, headers, times) => {
    let isFirst = true
    const { requests } = await runExtraction((_, response) => {
      if (isFirst) response.writeHead(403, headers).end('{}')
      isFirst = false
      return [{ id: 1 }]
    }, {})
    expect(requests).toHaveLength(times)
  })

  it('use the statuses, the header and the number that are configured', async () => {
    const { requests, error } = await runExtraction(
      (_, response) => {
        response.statusCode = 202
        response.setHeader('X-Later', '0.01')
        return [{ id: 1 }]
      },
      { api: { retryConfig: { maxRetries: 3, http: { codes: [202], retryHeader: 'X-Later' } } } },
    )
    expect(error).toBeUndefined() // 202 is no error once the retries are used up
    expect(requests).toHaveLength(4)
  })

  it('give up at once when the server asks for more time than there is', async () => {
    const { requests, error } = await runExtraction(
      (_, response) => {
        response.statusCode = 429
        response.setHeader('Retry-After', '500')
        return {}
      },
      { api: { retryConfig: { maxTotalSeconds: 60 } } },
    )
    expect(requests).toHaveLength(1)
    expect(error?.message).toContain('[429]')
  })

  it('count what the wait of a refused request keeps back', async () => {
    let refuses = true
    const { result } = await runExtraction((_, response) => {
      if (!refuses) return [{ id: 1 }]
      refuses = false
      response.statusCode = 429
      response.setHeader('Retry-After', '0.01')
      return {}
    }, {})
    const waitedSeconds = expect.any(Number)
    expect(result?.summary.traffic).toEqual({ requests: 2, bytes: 12, waits: 1, waitedSeconds })
  })

  it('end a leg at once whose time is over before the limit opens, and say when to resume', async () => {
    const first = await runExtraction(
      (_, response) => {
        response.setHeader('RateLimit-Remaining', '0').setHeader('RateLimit-Reset', '1800')
        return [{ id: 1 }]
      },
      {
        api: { pagination: { method: 'pagenum', forceStop: { pages: 2 } } },
        options: { deadline: Date.now() + 60_000 },
      },
    )
    expect(first.requests).toHaveLength(1)
    expect(first.result).toMatchObject({ finished: false, summary: { traffic: { waits: 1 } } })
    const { resumeInSeconds } = first.result as { resumeInSeconds: number } // as it is not finished
    expect(resumeInSeconds).toBeGreaterThan(1700)
    expect(resumeInSeconds).toBeLessThanOrEqual(1800)
  })

  it('wait for a rate limit to open before it is hit', async () => {
    const times: number[] = []
    await runExtraction(
      (_, response) => {
        times.push(performance.now())
        response.setHeader('X-RateLimit-Remaining', '0')
        response.setHeader('X-RateLimit-Reset', '0.2')
        return [{ id: times.length }]
      },
      { api: { pagination: { method: 'pagenum', forceStop: { pages: 2 } } } },
    )
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(150)
  })
})

describe('ignored errors', () => {
  it('take the body for the response, with a warning', async () => {
    const { tables, logs } = await runExtraction(
      (request, response) => {
        if (request.path === '/users') return [{ id: 1 }, { id: 2 }]
        if (request.path === '/user/1') {
          response.statusCode = 404
          return { error: 'gone' }
        }
        response.statusCode = 404
        return response.end('<html>')
      },
      {
        api: { http: { ignoreErrors: [404] } },
        config: {
          jobs: [
            {
              endpoint: 'users',
              children: [{ endpoint: 'user/{id}', dataField: '.', placeholders: { id: 'id' } }],
            },
          ],
        },
      },
    )
    expect(tables['user_id']).toBe('"error","errorData","parent_id"\n"gone","","1"\n"","<html>","2"\n')
    expect(
      logs
        .filter(({ level }) => level === 'warning')
        .map(({ message }) => message)
        .join(),
    ).toContain('Failed to get response')
  })
})
