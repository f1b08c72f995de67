import { describe, expect, it } from 'vitest'
import { readPageRequest } from '#local/s3/http/cors.ts'

const origin = 'https://a.example.com'
const preflight = (method: string) => ({
  method: 'OPTIONS',
  headers: {
    origin,
    'access-control-request-method': method,
    'access-control-request-headers': 'x-amz-date,content-type',
  },
})

describe('a page of another origin', () => {
  it('is answered by a bucket that answers browsers', () => {
    expect(readPageRequest(preflight('PUT'), { answersBrowsers: true })).toEqual({
      isPreflight: true,
      shared: expect.objectContaining({
        'access-control-allow-origin': '*',
        'access-control-allow-headers': 'x-amz-date,content-type',
        'access-control-expose-headers': 'ETag',
      }),
    })
    const put = readPageRequest({ method: 'PUT', headers: { origin } }, { answersBrowsers: true })
    expect(put).toMatchObject({ isPreflight: false, shared: { 'access-control-allow-origin': '*' } })
  })

  it.each([
    ['another bucket', preflight('PUT'), false, true],
    ['another method', preflight('DELETE'), true, true],
    ['a request itself', { method: 'DELETE', headers: { origin } }, true, false],
  ])('is refused: %s', (_, request, answersBrowsers, isPreflight) => {
    expect(readPageRequest(request, { answersBrowsers })).toEqual({ isPreflight, shared: undefined })
  })

  it('names its origin; what does not is no page', () => {
    expect(readPageRequest({ method: 'GET', headers: {} }, { answersBrowsers: true })).toBeUndefined()
  })
})
