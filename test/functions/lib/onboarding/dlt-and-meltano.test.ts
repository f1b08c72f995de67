import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { importedDraft, runImported } from './run-imported.ts'

describe('a rest_api dictionary of dlt', () => {
  const source = {
    client: {
      base_url: 'ORIGIN/api',
      auth: { type: 'api_key', name: 'X-Key', api_key: 'k3y-abc', location: 'header' },
      headers: { Accept: 'application/json' },
      paginator: { type: 'json_link', next_url_path: 'paging.next' },
    },
    resource_defaults: { primary_key: 'id', write_disposition: 'merge', endpoint: { params: { limit: 2 } } },
    resources: [
      'posts',
      {
        name: 'comments',
        endpoint: {
          path: 'posts/{resources.posts.id}/comments',
          data_selector: '$.data.items[*]',
          paginator: 'single_page',
        },
        include_from_parent: ['title'],
      },
      {
        name: 'likes',
        endpoint: {
          path: 'likes',
          params: { post: { type: 'resolve', resource: 'posts', field: 'id' } },
          paginator: 'single_page',
        },
      },
      {
        name: 'events',
        processing_steps: [{ filter: 'x' }],
        endpoint: {
          path: 'events',
          paginator: { type: 'page_number', base_page: 1, page_param: 'p', total_path: null },
          incremental: { cursor_path: 'at', start_param: 'since', initial_value: '2026-01-01' },
          response_actions: [
            { status_code: 410, action: 'ignore' },
            { status_code: 500, action: 'retry' },
          ],
        },
      },
    ],
  }

  it('runs: links, parents in the path and in parameters, numbers, a time', async () => {
    const { format, tables, requests, losses, warnings, config } = await runImported(
      JSON.stringify(source),
      ({ path, query, headers }, response) => {
        if (headers['x-key'] !== 'k3y-abc') response.statusCode = 401
        if (path === '/api/posts')
          return query.has('after')
            ? { posts: [{ id: 2 }], paging: {} }
            : { posts: [{ id: 1 }], paging: { next: `http://${headers.host}/api/posts?after=1` } }
        if (path.endsWith('/comments')) return { data: { items: [{ id: path }] } }
        if (path === '/api/likes') return [{ id: `like ${query.get('post')}` }]
        return query.get('p') === '1' ? [{ id: 1, at: '2026-02-01' }] : []
      },
    )
    expect(format).toBe('dlt')
    expect(warnings).toEqual([])
    expect(
      Object.fromEntries(
        Object.entries(tables).map(([name, csv]) => [name, csv.trim().split('\n').length - 1]),
      ),
    ).toEqual({
      'b.posts': 2,
      'b.comments': 2,
      'b.likes': 2,
      'b.events': 1,
    })
    expect(config['#api_key']).toBe('k3y-abc')
    expect(requests.map(({ url }) => url)).toEqual(
      expect.arrayContaining([
        '/api/posts?limit=2',
        '/api/likes?limit=2&post=1',
        '/api/likes?limit=2&post=2',
      ]),
    )
    expect(requests.find(({ path }) => path === '/api/events')?.query.get('since')).toContain('2026-01-01')
    expect(losses.map(({ path }) => path)).toEqual([
      'resources.1.include_from_parent',
      'resources.3.processing_steps',
      'resources.3.endpoint.response_actions.1',
    ])
    expect(losses.at(-1)?.why).toBe('only "ignore" and "raise" by status or content have a counterpart')
  })

  it.each([
    [
      { type: 'offset', limit: 10, offset_param: 'o', limit_param: 'l', total_path: 'meta.total' },
      { method: 'offset', limit: 10, offsetParam: 'o', limitParam: 'l', limitStop: { field: 'meta.total' } },
    ],
    [
      { type: 'cursor', cursor_path: '$.meta.next', cursor_param: 'c' },
      { method: 'json-cursor', param: 'c', cursorPath: 'meta.next' },
    ],
    ['header_link', { method: 'header-link' }],
    ['auto', undefined],
    [{ type: 'header_cursor' }, undefined],
  ])('pages by %j', (paginator, expected) => {
    const text = JSON.stringify({ client: { base_url: 'https://a.example', paginator }, resources: ['x'] })
    const { draft, losses } = importedDraft(text, {})
    expect(draft.parameters.api['pagination']).toEqual(expected)
    expect(losses.length).toBe(expected === undefined ? 1 : 0)
  })

  it.each([
    [{ token: 't' }, { type: 'apiKey', prefix: 'Bearer ' }, { '#token': 't' }],
    [
      { type: 'http_basic', username: 'u', password: 'p' },
      { type: 'basic' },
      { username: 'u', '#password': 'p' },
    ],
    [
      {
        type: 'oauth2_client_credentials',
        access_token_url: 'https://a.example/t',
        client_id: 'c',
        client_secret: 's',
      },
      { type: 'oauth2', grant: 'client_credentials', clientSecret: { attr: '#client_secret' } },
      { '#client_secret': 's' },
    ],
  ])('logs in by %j', (auth, authentication, attributes) => {
    const text = JSON.stringify({
      client: { base_url: 'https://a.example', auth, paginator: 'single_page' },
      resources: ['x'],
    })
    const { api, config } = importedDraft(text, {}).draft.parameters
    expect(api['authentication']).toMatchObject(authentication)
    expect(config).toMatchObject(attributes)
  })
})

describe('settings of a Singer tap in a project of Meltano', () => {
  const project = {
    version: 1,
    plugins: {
      extractors: [
        {
          name: 'tap-rest-api-msdk',
          config: {
            api_url: 'ORIGIN',
            auth_method: 'bearer_token',
            bearer_token: 't0ken-abc',
            pagination_request_style: 'jsonpath_paginator',
            next_page_token_path: '$.meta.next',
            pagination_next_page_param: 'cursor',
            stream_maps: { x: 1 },
            streams: [
              {
                name: 'orders',
                path: '/v1/orders',
                records_path: '$.data[*]',
                primary_keys: ['id'],
                params: { shop: 'a' },
              },
              {
                name: 'stores',
                path: '/v1/stores',
                primary_keys: ['id'],
                replication_key: 'updated',
                pagination_request_style: 'offset_paginator',
                pagination_next_page_param: 'offset',
                pagination_page_size: 2,
              },
            ],
          },
        },
      ],
    },
  }

  it('runs: a token of the next page, an offset, a bearer token', async () => {
    const { format, tables, losses, warnings } = await runImported(
      stringify(project),
      ({ path, query, headers }, response) => {
        if (headers.authorization !== 'Bearer t0ken-abc') response.statusCode = 401
        if (path === '/v1/orders')
          return query.get('cursor') === 'n'
            ? { data: [{ id: 2 }], meta: {} }
            : { data: [{ id: 1 }], meta: { next: 'n' } }
        return query.get('offset') === '0' ? [{ id: 1 }, { id: 2 }] : [{ id: 3 }]
      },
    )
    expect(format).toBe('meltano')
    expect(warnings).toEqual([])
    expect(tables['b.orders']).toBe('"id"\n"1"\n"2"\n')
    expect(tables['b.stores']?.trim().split('\n')).toHaveLength(4)
    expect(losses.map(({ path }) => path)).toEqual([
      'plugins.extractors.0.config.stream_maps',
      'plugins.extractors.0.config.streams.1.replication_key',
    ])
  })

  it.each([
    ['{"a": 1}', /give --from airbyte, dlt or meltano/],
    ['[1]', /no object/],
    ['a: [', /neither JSON nor YAML/],
    ['plugins: {extractors: [{name: tap-github}]}', /no extractor with "api_url"/],
  ])('is refused: %s', (text, message) => {
    expect(() => importedDraft(text, {})).toThrow(message)
  })

  /** Each refers twice to the next one. */
  const doubling = Array.from(
    { length: 40 },
    (_, index) =>
      `  d${index}: { a: { $ref: "#/definitions/d${index + 1}" }, b: { $ref: "#/definitions/d${index + 1}" } }`,
  )
  const airbyte = `type: DeclarativeSource\ncheck: {}\ndefinitions:\n${doubling.join('\n')}\n  d40: { x: 1 }\n`
  it.each([
    [
      'references that double',
      `${airbyte}streams: [{ $ref: "#/definitions/d0" }]`,
      /lead to more than 100000 values/,
    ],
    ['lists in each other', `a: ${'['.repeat(500_000)}`, /more than 100 lists and objects in each other/],
    ['objects in each other', `{"a":`.repeat(100_000), /more than 100 lists and objects in each other/],
    ['dashes in each other', `${'- '.repeat(100_000)}1`, /more than 100 lists and objects in each other/],
    ['many lists', `a: [${'[],'.repeat(200_000)}]`, /more than 100000 values/],
    ['five megabytes of brackets', '[]'.repeat(2_500_000), /more than 1048576 characters/],
  ])('is refused before it costs much: %s', (_, text, message) => {
    expect(() => importedDraft(text, {})).toThrow(message)
  })
})
