import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { buildEndpoint } from '#lib/extractor/requests/http/outgoing-request.ts'
import { type Params, replaceRecursive } from '#lib/extractor/requests/http/page-request.ts'
import { resolveUrl } from '#lib/extractor/requests/http/resolve-url.ts'
import {
  addLoginQuery,
  formatQuery,
  formEncode,
  parseQuery,
  replaceInQuery,
} from '#lib/extractor/values/php/query.ts'
import type { Json } from '#lib/json/json-value.ts'
import { runExtraction } from '../../run-extraction.ts'

describe('resolving addresses (RFC 3986, 5.4)', () => {
  it.each([
    ['http://h/api', 'users', 'http://h/users'],
    ['http://h/api/', 'users', 'http://h/api/users'],
    ['http://h/api/', '/users', 'http://h/users'],
    ['http://h/api/', 'https://other/x', 'https://other/x'],
    ['http://h/api/', '//other/x', 'http://other/x'],
    ['http://h/api/?a=1', '', 'http://h/api/?a=1'],
    ['http://h/api/?a=1', '?b=2', 'http://h/api/?b=2'],
    ['http://h', 'users', 'http://h/users'],
    ['http://h/b/c/d', '../g', 'http://h/b/g'],
    ['http://h/b/c/d', './g/.', 'http://h/b/c/g/'],
    ['http://h/b/c/d', '../../../g', 'http://h/g'],
    ['http://h:80/', 'a|b[c]\\d e%20f%zz', 'http://h/a%7Cb%5Bc%5D%5Cd%20e%20f%25zz'],
    ['http://h/', 'č?č=1#frag', 'http://h/%C4%8D?%C4%8D=1'],
    ['HTTP://H/x', 'y', 'http://h/y'],
  ])('%s + %s = %s', (base, reference, href) => {
    expect(resolveUrl(base, reference).href).toBe(href)
  })

  it.each(['ftp://h/x', 'file:///etc/passwd', 'javascript:alert(1)', 'http://', 'http://a b/'])(
    'refuses %s',
    reference => {
      expect(() => resolveUrl('http://h/', reference)).toThrow(
        /^Not (an http or https address|a valid host): /,
      )
    },
  )
})

describe('queries', () => {
  it('come back as they were written', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string({ minLength: 1, unit: 'grapheme' }),
          fc.oneof(fc.string({ unit: 'grapheme' }), fc.array(fc.string(), { minLength: 2 })),
        ),
        query => {
          expect({ ...parseQuery(formatQuery(query)) }).toEqual({ ...query })
        },
      ),
    )
  })

  it.each<[string, object]>([
    ['?a=1', { a: '1' }],
    ['filter=[a]=b', { filter: '[a]=b' }],
    ['a=%E9+b%20c', { a: '%E9 b c' }],
    ['a[]=1&a[]=2', { 'a[]': ['1', '2'] }],
    ['a&a=', { a: [null, ''] }],
    ['__proto__=1', { ['__proto__']: '1' }],
    ['=v', { '': 'v' }],
    [Array(25).fill('x=1').join('&'), { x: Array(25).fill('1') }],
  ])('are read as they stand: %s', (text, query) => {
    expect(Object.entries(parseQuery(text))).toEqual(Object.entries(query))
  })

  it('replace values where they stand', () => {
    expect(formatQuery(replaceInQuery(parseQuery('a=1&b=2'), { a: 'x y', c: true }))).toBe('a=x%20y&b=2&c=1')
  })

  it('move clashing login values behind the new ones', () => {
    const query = addLoginQuery(parseQuery('a=1&b=2&c=3'), { b: 'B', d: 'D', c: 3 })
    expect(decodeURIComponent(formatQuery(query))).toBe('a=1&d=D&b[0]=2&b[1]=B&c[0]=3')
  })
})

it('a header of the configuration takes the place of one of the API, whatever its letters', async () => {
  const { requests } = await runExtraction(() => [], {
    api: { http: { headers: { 'x-key': 'api', 'X-Other': 'api' } } },
    config: { http: { headers: { 'X-Key': 'own' } } },
  })
  expect(requests[0]?.headers).toMatchObject({ 'x-key': 'own', 'x-other': 'api' })
})

describe('form encoding', () => {
  it.each([
    [{ a: [], b: {} }, ''],
    [{ a: [1, [2, { x: 'y' }]] }, 'a%5B0%5D=1&a%5B1%5D%5B0%5D=2&a%5B1%5D%5B1%5D%5Bx%5D=y'],
    [{ 'a b': 'c&d=e' }, 'a+b=c%26d%3De'],
    [{ lone: '\ud800x' }, 'lone=%EF%BF%BDx'],
  ])('%j', (params, text) => {
    expect(formEncode(params)).toBe(text)
  })

  it('leaves an endpoint without params alone, byte by byte', () => {
    expect(buildEndpoint({ endpoint: 'x?a=%7e&b=+[]', params: {} })).toBe('x?a=%7e&b=+[]')
  })

  it.each<[string, Json, object, string]>([
    ['x#part', { limit: 1 }, {}, 'x?limit=1'],
    ['x?a=1#part?b=2', { limit: 1 }, {}, 'x?a=1&limit=1'],
    ['x?a=1&a=2&b', { c: 3 }, {}, 'x?a=1&a=2&b=&c=3'],
    ['x?a=1&a=2&b', { c: 3 }, { compat: true }, 'x?a=2&b=&c=3'],
    ['x?a[]=1&b=2&a[]=3', { b: [4, 5] }, {}, 'x?a%5B%5D=1&a%5B%5D=3&b%5B0%5D=4&b%5B1%5D=5'],
    ['x?a=1&a=2&b=3', { a: null }, {}, 'x?b=3'],
    ['x?=1&0=2&b=3', { c: 4 }, {}, 'x?b=3&c=4'],
  ])('lays params over the query: %s with %j %j', (endpoint, params, options, sent) => {
    expect(buildEndpoint({ endpoint, params: params as Params }, options)).toBe(sent)
  })
})

describe('laying one value over another', () => {
  it.each([
    [
      { a: 1, b: { c: 2, d: 3 } },
      { b: { c: 4 }, e: 5 },
      { a: 1, b: { c: 4, d: 3 }, e: 5 },
    ],
    [{ a: [1, 2, 3] }, { a: [9] }, { a: [9, 2, 3] }],
    [{ a: { x: 1 } }, { a: 'text' }, { a: 'text' }],
    [{ a: 1 }, { a: { x: 1 } }, { a: { x: 1 } }],
  ])('%j + %j', (base, over, result) => {
    expect(replaceRecursive(base, over)).toEqual(result)
  })
})
