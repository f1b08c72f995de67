import { describe, expect, it } from 'vitest'
import { corsHeaders } from '#local/s3/http/cors.ts'

const rule = {
  allowedOrigins: ['https://*.example.com'],
  allowedMethods: ['PUT'],
  allowedHeaders: ['x-amz-*', 'content-type'],
  exposedHeaders: ['ETag'],
  maxAgeSeconds: 60,
}
const asked = { origin: 'https://a.example.com', method: 'PUT', headers: ['X-Amz-Date'] }

describe('a page of another origin', () => {
  it('is answered as the first rule that fits says', () => {
    expect(corsHeaders([rule], asked)).toMatchObject({
      'access-control-allow-origin': 'https://a.example.com',
      'access-control-allow-headers': 'X-Amz-Date',
      'access-control-expose-headers': 'ETag',
      'access-control-max-age': '60',
    })
  })
  it.each([
    ['another origin', { ...asked, origin: 'https://example.org' }],
    ['another method', { ...asked, method: 'DELETE' }],
    ['another header', { ...asked, headers: ['x-other'] }],
  ])('is refused with %s', (_, request) => expect(corsHeaders([rule], request)).toBeUndefined())
  it('of any kind is allowed by a star', () => {
    expect(corsHeaders([{ ...rule, allowedOrigins: ['*'] }], asked)?.['access-control-allow-origin']).toBe(
      '*',
    )
  })
})
