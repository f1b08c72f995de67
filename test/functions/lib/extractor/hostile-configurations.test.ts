import { describe, expect, it } from 'vitest'
import { UserError } from '#lib/errors/errors.ts'
import { checkConfiguration } from '#lib/extractor/run/check-configuration.ts'
import { configuration, runExtraction, type Settings } from './run-extraction.ts'

const nested = (depth: number): object => (depth === 0 ? {} : { a: nested(depth - 1) })
const deep = JSON.parse(`${'{"a":'.repeat(50_000)}{}${'}'.repeat(50_000)}`)
const job = (more: object): Settings => ({ config: { jobs: [{ endpoint: 'items', ...more }] } })
const proto = JSON.parse('{"__proto__": "x"}')

describe('a configuration that nobody wrote in earnest', () => {
  it.each<[string, Settings, RegExp]>([
    ['deep parameters', job({ params: deep }), /nested more than 64 deep/],
    ['a deep attribute', { config: { a: deep } }, /nested more than 64 deep/],
    ['parameters that are a little too deep', job({ params: nested(64) }), /nested more than 64 deep/],
    ['a parameter __proto__', job({ params: proto }), /"__proto__" cannot be the name of a key/],
    ['a header __proto__', job({ headers: proto }), /"__proto__" cannot be/],
    [
      'a placeholder __proto__',
      job({ children: [{ endpoint: 'c', placeholders: proto }] }),
      /"__proto__" cannot be/,
    ],
    [
      'a required header constructor',
      { api: { http: { requiredHeaders: ['constructor'] } } },
      /Missing required header/,
    ],
    ['a header with NUL in its name', job({ headers: { 'X\0': 'a' } }), /invalid header/],
    ['a header with NUL', job({ headers: { X: 'a\0' } }), /holds a line break/],
    [
      'a filter with many %',
      job({
        children: [
          { endpoint: 'c/{id}', placeholders: { id: 'id' }, recursionFilter: `n~~${'%a'.repeat(600)}` },
        ],
      }),
      /at most 1000 characters/,
    ],
  ])('is a user error: %s', async (_what, settings, message) => {
    const { error, requests } = await runExtraction(() => [{ id: 1 }], settings)
    expect(error).toBeInstanceOf(UserError)
    expect(error?.message).toMatch(message)
    expect(requests).toEqual([])
  })

  it('is refused when it is stored, too', () => {
    expect(() => checkConfiguration(configuration('https://example.com', job({ params: deep })))).toThrow(
      '64 deep',
    )
  })

  it('may name a parameter as every object does', async () => {
    const { error, requests } = await runExtraction(
      ({ query }) => (query.get('constructor') === '2' ? [] : [{ id: 1 }]),
      {
        api: { pagination: { method: 'pagenum', pageParam: 'constructor', limitParam: 'valueOf' } },
        config: { jobs: [{ endpoint: 'items?__proto__=1', params: { toString: 'x' } }] },
      },
    )
    expect(error).toBeUndefined()
    expect(requests.map(({ url }) => url)).toEqual([
      '/items?__proto__=1&toString=x&constructor=1',
      '/items?__proto__=1&toString=x&constructor=2',
    ])
  })

  it('a filter on long values ends in time, although no deadline interrupts it', async () => {
    const { requests } = await runExtraction(
      ({ path }) => (path === '/items' ? [{ id: 1, n: 'a'.repeat(300) }] : []),
      {
        config: {
          jobs: [
            {
              endpoint: 'items',
              children: [
                { endpoint: 'c/{id}', placeholders: { id: 'id' }, recursionFilter: 'n~~%a%a%a%a%a%a%b' },
              ],
            },
          ],
        },
      },
    )
    expect(requests.map(({ url }) => url)).toEqual(['/items'])
  })

  it('has not more requests for one row than can be held', async () => {
    const ids = Array.from({ length: 400 }, (_, id) => id)
    const { error } = await runExtraction(() => [{ a: ids, b: ids }], {
      config: {
        jobs: [{ endpoint: 'items', children: [{ endpoint: '{a}/{b}', placeholders: { a: 'a', b: 'b' } }] }],
      },
    })
    expect(error?.message).toMatch('160000 combinations of one row')
  })
})
