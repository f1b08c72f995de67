import { describe, expect, it } from 'vitest'
import { fillText } from '#lib/extractor/requests/http/page-request.ts'
import { runExtraction } from '../../run-extraction.ts'
import { runInLegs } from '../../run-in-legs.ts'

const job = (more: object) => ({ config: { jobs: [{ endpoint: 'items', ...more }] } })

describe('a text body', () => {
  it.each<[string, Record<string, string | number | null>, string, string[]]>([
    ['<a p="{page}"/>', { page: 2 }, '<a p="2"/>', ['page']],
    ['{"page":{page},"of":{"a":1}}', { page: 2 }, '{"page":2,"of":{"a":1}}', ['page']],
    ['{a}{b}', { a: '{b}', b: 'x' }, '{b}x', ['a', 'b']],
    ['{constructor} {none}', { none: null }, '{constructor} ', ['none']],
  ])('%s with %j is %s', (text, values, filled, used) => {
    const result = fillText(text, values)
    expect([result.text, [...result.used]]).toEqual([filled, used])
  })

  it('is sent with every page, each with its own params', async () => {
    const { requests, tables } = await runExtraction(({ body }) => (body === 'page 3' ? [] : [{ body }]), {
      api: { pagination: { method: 'pagenum' } },
      ...job({ body: { text: 'page {page}', contentType: 'text/x-query' }, params: { size: 1 } }),
    })
    expect(requests.map(({ url, body, headers }) => [url, body, headers['content-type']])).toEqual([
      ['/items?size=1', 'page 1', 'text/x-query'],
      ['/items?size=1', 'page 2', 'text/x-query'],
      ['/items?size=1', 'page 3', 'text/x-query'],
    ])
    expect(tables['items']).toBe('"body"\n"page 1"\n"page 2"\n')
  })

  it('is sent by the leg that resumes at a later page', async () => {
    const settings = { api: { pagination: { method: 'pagenum' } }, ...job({ body: { text: 'page {page}' } }) }
    const answer = ({ body }: { body: string }) => (body === 'page 3' ? [] : [{ body }])
    const { legs, requests, tables } = await runInLegs(answer, settings, 1)
    expect(legs).toBeGreaterThan(1)
    expect(requests).toEqual([1, 2, 3].map(page => `POST /items page ${page}`))
    expect(tables['items']).toBe('"body"\n"page 1"\n"page 2"\n')
  })

  it.each([
    [{ body: { text: { wrong: 1 } } }, 'extractor.request.body'],
    [{ body: { text: ['a'] } }, 'extractor.request.body'],
    [{ body: { text: 'a' }, method: 'FORM' }, 'extractor.config.invalid'],
    [{ body: 'a' }, 'extractor.config.invalid'],
  ])('refuses %j', async (more, code) => {
    const { error } = await runExtraction(() => [], job(more))
    expect((error as { code?: string } | undefined)?.code).toBe(code)
  })
})
