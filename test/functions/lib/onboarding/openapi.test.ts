import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { checkConfiguration } from '#lib/extractor/run/check-configuration.ts'
import { readOpenApi } from '#lib/onboarding/detect/openapi/document.ts'
import { draftOfDocument } from '#lib/onboarding/detect/openapi/draft-of-document.ts'
import { sampleOf } from '#lib/onboarding/detect/openapi/list-operations.ts'

const order = {
  type: 'object',
  properties: { id: { type: 'integer' }, updated_at: { type: 'string', format: 'date-time' } },
}
const json = (schema: object) => ({ 200: { description: 'ok', content: { 'application/json': { schema } } } })
const query = (name: string, schema: object, more: object = {}) => ({ name, in: 'query', schema, ...more })

const document = {
  openapi: '3.0.3',
  servers: [{ url: 'https://{region}.shop.example/v1', variables: { region: { default: 'eu' } } }],
  security: [{ bearer: [] }],
  paths: {
    '/orders': {
      get: {
        parameters: [
          query('page', { type: 'integer', default: 1 }),
          query('per_page', { type: 'integer', default: 20, maximum: 100 }),
          query('shop', { type: 'string' }, { required: true, example: 'prague' }),
        ],
        responses: json({
          type: 'object',
          properties: { data: { type: 'array', items: { $ref: '#/components/schemas/Order' } } },
        }),
      },
      post: { responses: json(order) },
    },
    '/orders/{orderId}/lines': {
      get: {
        responses: json({
          type: 'array',
          items: { type: 'object', properties: { sku: { type: 'string' } } },
        }),
      },
    },
    '/events': {
      get: {
        parameters: [query('cursor', { type: 'string' })],
        responses: json({
          allOf: [
            { type: 'object', properties: { next_cursor: { type: 'string', nullable: true } } },
            { type: 'object', properties: { events: { type: 'array', items: order } } },
          ],
        }),
      },
    },
    '/reports/{name}/rows': { get: { responses: json({ type: 'array', items: order }) } },
    '/me': { get: { responses: json(order) } },
    '/imports': { post: { responses: json(order) } },
  },
  components: {
    schemas: { Order: order },
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
  },
}

const draftOf = (given: object, options = {}) =>
  draftOfDocument(readOpenApi(JSON.stringify(given)), options).parameters

describe('an OpenAPI document', () => {
  it.each([
    ['JSON', JSON.stringify(document)],
    ['YAML', stringify(document)],
  ])('as %s: lists become jobs, lists below an item child jobs, the rest is named', (_, text) => {
    const draft = draftOfDocument(readOpenApi(text), {})
    const { api, config } = draft.parameters
    expect(checkConfiguration({ ...draft })).toEqual([])
    expect(api['baseUrl']).toBe('https://eu.shop.example/v1/')
    expect(config.outputBucket).toBe('shop')
    expect(config.jobs).toMatchObject([
      {
        endpoint: 'orders',
        dataType: 'orders',
        dataField: 'data',
        primaryKey: ['id'],
        params: { shop: 'prague' },
        scroller: 'pagenum',
        children: [
          { endpoint: 'orders/{orderId}/lines', placeholders: { orderId: 'id' }, dataType: 'lines' },
        ],
      },
      { endpoint: 'events', dataField: 'events', scroller: 'json-cursor' },
    ])
    expect(api['pagination']).toMatchObject({
      method: 'multiple',
      scrollers: {
        pagenum: { method: 'pagenum', pageParam: 'page' },
        'json-cursor': { method: 'json-cursor', param: 'cursor', cursorPath: 'next_cursor' },
      },
    })
    expect(JSON.stringify(api['__why'])).toContain(
      'Left out: /me (no JSON list is among its answers), /imports (it has no GET), /reports/{name}/rows (no list gives the values of {name}).',
    )
  })

  it.each([
    [{ type: 'http', scheme: 'basic' }, { type: 'basic' }, ['username', '#password']],
    [
      { type: 'http', scheme: 'bearer' },
      { type: 'apiKey', name: 'Authorization', prefix: 'Bearer ' },
      ['#token'],
    ],
    [{ type: 'apiKey', in: 'query', name: 'key' }, { type: 'apiKey', in: 'query', name: 'key' }, ['#key']],
    [
      {
        type: 'oauth2',
        flows: { clientCredentials: { tokenUrl: 'https://a.example/token', scopes: { read: '' } } },
      },
      { type: 'oauth2', grant: 'client_credentials', tokenUrl: 'https://a.example/token', scope: 'read' },
      ['clientId', '#clientSecret'],
    ],
    [{ type: 'oauth2', flows: { authorizationCode: {} } }, { type: 'apiKey', prefix: 'Bearer ' }, ['#token']],
  ])('security scheme %j', (scheme, authentication, attributes) => {
    const { api, config } = draftOf({
      ...document,
      security: [],
      components: { ...document.components, securitySchemes: { one: scheme } },
    })
    expect(api['authentication']).toMatchObject(authentication)
    for (const name of attributes) expect(config[name]).toBe('')
  })

  it('one pagination of all lists stands alone, with the largest page that the document allows', () => {
    const { api, config } = draftOf(
      {
        openapi: '3.1.0',
        paths: {
          '/a': {
            get: {
              parameters: [query('limit', { maximum: 250 }), query('offset', { type: 'integer' })],
              responses: json({ type: ['array', 'null'], items: order }),
            },
          },
        },
      },
      { url: 'https://api.example/', bucket: 'b' },
    )
    expect(api['pagination']).toMatchObject({
      method: 'offset',
      limit: 250,
      limitParam: 'limit',
      offsetParam: 'offset',
    })
    expect(config).toMatchObject({ outputBucket: 'b', jobs: [{ endpoint: 'a' }] })
  })

  it.each([
    ['swagger: "2.0"', /Swagger 2.0/],
    ['openapi: "4.0"', /no OpenAPI 3 document/],
    ['{', /neither JSON nor YAML/],
    ['[1]', /no object/],
  ])('is refused: %s', (text, message) => {
    expect(() => readOpenApi(text)).toThrow(message)
  })

  it('without a list, or an address, is refused', () => {
    expect(() => draftOf({ ...document, paths: {} })).toThrow(/no operation that answers with a JSON list/)
    expect(() => draftOf({ ...document, servers: [{ url: '/v1' }] })).toThrow(/give --url/)
  })

  it('a schema that is made of itself, or of ever more others, comes to an end', () => {
    const allOf = (name: string) => [1, 2].map(() => ({ $ref: `#/components/schemas/${name}` }))
    const doubling = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [`D${index}`, { allOf: allOf(`D${index + 1}`) }]),
    )
    const schemas = { Self: { allOf: allOf('Self') }, ...doubling }
    const root = { openapi: '3.0.0', components: { schemas } }
    const read = readOpenApi(JSON.stringify(root))
    for (const name of ['Self', 'D0'])
      expect(sampleOf({ $ref: `#/components/schemas/${name}` }, read)).toBeNull()
  })

  it('a schema that holds itself comes to an end', () => {
    const node = {
      type: 'object',
      properties: {
        id: { type: 'string' },
        children: { type: 'array', items: { $ref: '#/components/schemas/Node' } },
      },
    }
    const circular = {
      ...document,
      paths: {
        '/nodes': {
          get: { responses: json({ type: 'array', items: { $ref: '#/components/schemas/Node' } }) },
        },
      },
      components: { schemas: { Node: node, Loop: { $ref: '#/components/schemas/Loop' } } },
    }
    expect(draftOf(circular).config.jobs).toMatchObject([{ endpoint: 'nodes', primaryKey: ['id'] }])
  })
})
