import { describe, expect, it } from 'vitest'
import { importedDraft, runImported } from './run-imported.ts'

/** A manifest of the structure that public ones have: definitions, references, parameters, a substream, a cursor. */
const manifest = `
version: 6.0.0
type: DeclarativeSource
concurrency_level: { type: ConcurrencyLevel, default_concurrency: 4 }
api_budget:
  type: HTTPAPIBudget
  policies: [{ type: MovingWindowCallRatePolicy, rates: [{ limit: 6000, interval: PT1M }], matchers: [] }]
check: { type: CheckStream, stream_names: [customers] }
definitions:
  selector:
    type: RecordSelector
    extractor: { type: DpathExtractor, field_path: ["{{ parameters['root'] }}"] }
  requester:
    type: HttpRequester
    url_base: "ORIGIN/v2/"
    http_method: GET
    request_headers: { X-Version: "3" }
    authenticator: { type: BearerAuthenticator, api_token: "{{ config['access_token'] }}" }
    error_handler:
      type: CompositeErrorHandler
      error_handlers:
        - type: DefaultErrorHandler
          max_retries: 2
          response_filters:
            - { type: HttpResponseFilter, http_codes: [404], action: IGNORE, error_message: not there }
          backoff_strategies: [{ type: WaitTimeFromHeader, header: X-Wait }]
  pages:
    type: DefaultPaginator
    page_token_option: { type: RequestOption, inject_into: request_parameter, field_name: page }
    page_size_option: { type: RequestOption, inject_into: request_parameter, field_name: per_page }
    pagination_strategy: { type: PageIncrement, start_from_page: 1, page_size: 2 }
  base:
    retriever:
      type: SimpleRetriever
      requester: { $ref: "#/definitions/requester" }
      record_selector: { $ref: "#/definitions/selector" }
      paginator: "#/definitions/pages"
  customers:
    type: DeclarativeStream
    $ref: "#/definitions/base"
    name: customers
    primary_key: id
    retriever:
      type: SimpleRetriever
      requester: { $ref: "#/definitions/requester", path: "shops/{{ config['shop'] }}/customers" }
      record_selector: { $ref: "#/definitions/selector" }
      paginator: { $ref: "#/definitions/pages" }
    schema_loader: { type: InlineSchemaLoader, schema: { $ref: "#/definitions/none" } }
    $parameters: { root: data }
  orders:
    type: DeclarativeStream
    name: orders
    primary_key: [id]
    $parameters: { root: orders }
    retriever:
      type: SimpleRetriever
      requester:
        $ref: "#/definitions/requester"
        path: "customers/{{ stream_partition.customer_id }}/orders"
        request_parameters: { limit: "2" }
      record_selector: { $ref: "#/definitions/selector" }
      paginator:
        type: DefaultPaginator
        page_token_option: { type: RequestOption, inject_into: request_parameter, field_name: cursor }
        pagination_strategy:
          type: CursorPagination
          cursor_value: "{{ response.get('meta', {}).get('next') }}"
          stop_condition: "{{ not response.meta.next }}"
      partition_router:
        type: SubstreamPartitionRouter
        parent_stream_configs:
          - { type: ParentStreamConfig, stream: "#/definitions/customers", parent_key: id, partition_field: customer_id }
    transformations:
      - { type: AddFields, fields: [{ type: AddedFieldDefinition, path: [shop], value: "{{ config['shop'] }}" }] }
      - { type: AddFields, fields: [{ path: [meta, label], value: "{{ record['shop'] }}-{{ record.by.name }}" }] }
      - { type: RemoveFields, field_pointers: [[secret], [by, mail], ["tmp_*"]] }
      - { type: KeysToLower }
  events:
    type: DeclarativeStream
    name: events
    primary_key: id
    $parameters: { root: data }
    retriever:
      type: SimpleRetriever
      requester: { $ref: "#/definitions/requester", path: "events/{{ stream_slice['kind'] }}" }
      record_selector: { $ref: "#/definitions/selector" }
      partition_router: { type: ListPartitionRouter, cursor_field: kind, values: [sale, refund] }
    incremental_sync:
      type: DatetimeBasedCursor
      cursor_field: at
      start_datetime: { type: MinMaxDatetime, datetime: "{{ config['start'] }}" }
      datetime_format: "%Y-%m-%dT%H:%M:%SZ"
      start_time_option: { type: RequestOption, inject_into: request_parameter, field_name: since }
  own:
    type: DeclarativeStream
    name: own
    retriever: { type: CustomRetriever, class_name: source.Own }
streams: ["#/definitions/customers", "#/definitions/orders", "#/definitions/events", "#/definitions/own"]
spec:
  connection_specification:
    properties:
      access_token: { type: string, airbyte_secret: true }
      start: { type: string, default: "2026-01-01" }
`

describe('a declarative manifest of Airbyte', () => {
  it('runs: pages, rows of a parent, a list of partitions, headers, credentials', async () => {
    const settings = { access_token: 't0ken-abc', shop: 'prague' }
    const imported = await runImported(
      manifest,
      ({ path, query, headers }, response) => {
        if (headers.authorization !== 'Bearer t0ken-abc' || headers['x-version'] !== '3') {
          response.statusCode = 401
          return {}
        }
        const page = Number(query.get('page') ?? 1)
        if (path === '/v2/shops/prague/customers')
          return { data: page === 1 ? [{ id: 1 }, { id: 2 }] : [{ id: 3 }] }
        if (path === '/v2/customers/3/orders') {
          response.statusCode = 404
          return {}
        }
        if (path.endsWith('/orders')) {
          const isLast = query.get('cursor') === 'c2'
          const by = { name: 'Ann', mail: 'ann@x.example' }
          return { orders: [{ id: `${path}${isLast}`, secret: 1, by }], meta: { next: isLast ? '' : 'c2' } }
        }
        if (path.startsWith('/v2/events/')) return { data: [{ id: path, at: '2026-01-02T00:00:00Z' }] }
        response.statusCode = 500
        return {}
      },
      settings,
    )
    expect(imported.format).toBe('airbyte')
    expect(imported.warnings).toEqual([])
    const { 'b.customers': customers, 'b.orders': orders, 'b.events': events } = imported.tables
    expect(customers).toBe('"id"\n"1"\n"2"\n"3"\n')
    expect(orders?.trim().split('\n')).toHaveLength(5)
    expect(orders?.split('\n')[0]).toBe('"id","by_name","shop","meta_label","parent_id"')
    expect(orders).toContain('"Ann","prague","prague-Ann"')
    expect(events?.trim().split('\n')).toHaveLength(3)
    expect(imported.requests.filter(({ path }) => path.endsWith('/customers')).map(({ url }) => url)).toEqual(
      ['/v2/shops/prague/customers?per_page=2', '/v2/shops/prague/customers?per_page=2&page=2'],
    )
    expect(imported.config['#access_token']).toBe('t0ken-abc')
    expect(imported.config.jobs[1]?.['incremental']).toEqual({
      cursor: 'at',
      param: 'since',
      start: '2026-01-01',
    })
    expect(imported.requests.find(({ path }) => path.endsWith('/sale'))?.query.get('since')).toContain(
      '2026-01-01',
    )
    expect(imported.api['http']).toMatchObject({ maxConcurrency: 4, budget: { requests: 6000, seconds: 60 } })
    expect(imported.losses).toEqual([
      {
        level: 'asks',
        path: 'streams.1.transformations.2.field_pointers.2',
        why: 'the field tmp_*: a pattern, or no name that a path can have',
      },
      {
        level: 'asks',
        path: 'streams.1.transformations.3',
        why: 'the transformation KeysToLower: columns are as the API has them',
      },
      {
        level: 'rows',
        path: 'streams.3',
        why: 'the stream "own" is made of DeclarativeStream, CustomRetriever, undefined: it is left out',
      },
    ])
  })

  /** A manifest of one stream. */
  const one = (retriever: object, more: object = {}) =>
    JSON.stringify({
      type: 'DeclarativeSource',
      streams: [
        {
          type: 'DeclarativeStream',
          name: 'rows',
          primary_key: 'id',
          retriever: {
            type: 'SimpleRetriever',
            record_selector: {
              type: 'RecordSelector',
              extractor: { type: 'DpathExtractor', field_path: [] },
            },
            ...retriever,
            requester: {
              type: 'HttpRequester',
              url_base: 'https://api.shop.example',
              path: '/rows',
              ...('requester' in retriever ? (retriever.requester as object) : {}),
            },
          },
          ...more,
        },
      ],
    })
  const imported = (text: string, settings = {}) => {
    const { draft, losses } = importedDraft(text, { settings })
    return { ...draft.parameters, losses: losses.map(({ path, why }) => `${path}: ${why}`) }
  }
  const option = (field_name: string) => ({
    type: 'RequestOption',
    inject_into: 'request_parameter',
    field_name,
  })

  it.each([
    [
      'OffsetIncrement',
      {
        page_token_option: option('skip'),
        page_size_option: option('take'),
        pagination_strategy: { type: 'OffsetIncrement', page_size: 50, inject_on_first_request: true },
      },
      { method: 'offset', limit: 50, limitParam: 'take', offsetParam: 'skip' },
    ],
    [
      'a path of the next page',
      {
        page_token_option: { type: 'RequestPath' },
        pagination_strategy: { type: 'CursorPagination', cursor_value: "{{ response['@odata.nextLink'] }}" },
      },
      { method: 'response.url', url: { expr: "response['@odata.nextLink']" } },
    ],
    [
      'a Link header',
      {
        page_token_option: { type: 'RequestPath' },
        pagination_strategy: {
          type: 'CursorPagination',
          cursor_value: "{{ headers['link']['next']['url'] }}",
          stop_condition: "{{ 'next' not in headers['link'] }}",
        },
      },
      { method: 'header-link' },
    ],
    [
      'a Link header with defaults',
      {
        page_token_option: { type: 'RequestPath' },
        pagination_strategy: {
          type: 'CursorPagination',
          cursor_value: "{{ headers.get('link', {}).get('next', {}).get('url') }}",
        },
      },
      { method: 'header-link' },
    ],
    [
      'a flag',
      {
        page_token_option: option('after'),
        pagination_strategy: {
          type: 'CursorPagination',
          cursor_value: '{{ response.cursor }}',
          stop_condition: '{{ not response.has_more }}',
        },
      },
      {
        method: 'json-cursor',
        param: 'after',
        cursorPath: 'cursor',
        stopWhen: { expr: 'not response.has_more' },
      },
    ],
    [
      'the last row',
      {
        page_token_option: option('after'),
        pagination_strategy: { type: 'CursorPagination', cursor_value: "{{ last_record['id'] }}" },
      },
      { method: 'json-cursor', param: 'after', value: { expr: 'last.id' } },
    ],
  ])('pages by %s', (_, paginator, pagination) => {
    expect(
      imported(one({ paginator: { type: 'DefaultPaginator', ...paginator } })).api['pagination'],
    ).toEqual(pagination)
  })

  it.each([
    [
      { type: 'ApiKeyAuthenticator', api_token: "{{ config['k'] }}", inject_into: option('key') },
      { type: 'apiKey', in: 'query', name: 'key', value: { attr: 'k' } },
    ],
    [
      { type: 'ApiKeyAuthenticator', api_token: "Token {{ config['api_key'] }}", header: 'X-Key' },
      {
        type: 'apiKey',
        in: 'header',
        name: 'X-Key',
        value: { expr: "'Token ' ~ attr['#api_key']" },
      },
    ],
    [
      { type: 'BasicHttpAuthenticator', username: "{{ config['user'] }}", password: "{{ config['pw'] }}" },
      { type: 'basic' },
    ],
    [
      {
        type: 'OAuthAuthenticator',
        token_refresh_endpoint: 'https://a.example/t',
        client_id: "{{ config['client_id'] }}",
        client_secret: "{{ config['client_secret'] }}",
        refresh_token: "{{ config['refresh_token'] }}",
      },
      {
        type: 'oauth2',
        grant: 'refresh_token',
        tokenUrl: 'https://a.example/t',
        refreshToken: { attr: '#refresh_token' },
      },
    ],
    [
      {
        type: 'SessionTokenAuthenticator',
        login_requester: {
          url_base: 'https://a.example',
          path: '/session',
          http_method: 'POST',
          request_body_json: { user: "{{ config['user'] }}" },
        },
        session_token_path: ['data', 'id'],
        request_authentication: {
          type: 'ApiKey',
          inject_into: { inject_into: 'header', field_name: 'X-Session' },
        },
      },
      {
        type: 'login',
        loginRequest: { endpoint: 'https://a.example/session', method: 'POST' },
        apiRequest: { headers: { 'X-Session': { response: 'data.id' } } },
      },
    ],
  ])('logs in by %j', (authenticator, expected) => {
    const settings = { user: 'me', pw: 'p', client_id: 'c' }
    const { api, config } = imported(one({ requester: { authenticator } }), settings)
    expect(api['authentication']).toMatchObject(expected)
    if (authenticator.type === 'BasicHttpAuthenticator')
      expect(config).toMatchObject({ username: 'me', '#password': 'p' })
  })

  it('names what it cannot take over, with its place', () => {
    const { losses } = imported(
      one(
        {
          requester: {
            request_parameters: { from: "{{ stream_state['at'] }}" },
            authenticator: { type: 'CustomAuthenticator' },
          },
          record_selector: {
            type: 'RecordSelector',
            extractor: { type: 'DpathExtractor', field_path: ['data', '*', 'row'] },
            record_filter: { condition: '{{ stream_state.x }}' },
          },
          paginator: { type: 'DefaultPaginator', pagination_strategy: { type: 'CustomPaginationStrategy' } },
          decoder: { type: 'CustomDecoder' },
          lazy: true,
        },
        {
          incremental_sync: { type: 'IncrementingCountCursor' },
          file_uploader: {},
          transformations: [
            { type: 'AddFields', fields: [{ path: ['a'], value: '{{ next_page_token }}' }] },
            { type: 'RemoveFields', condition: '{{ property == 1 }}', field_pointers: [['a']] },
          ],
        },
      ),
    )
    expect(losses).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^streams\.0\.file_uploader: there is no key/),
        expect.stringMatching(/^streams\.0\.retriever\.lazy: there is no key/),
        expect.stringMatching(/request_parameters\.from: the expression \{\{ stream_state/),
        expect.stringMatching(/requester\.authenticator: an authenticator of the type CustomAuthenticator/),
        expect.stringMatching(/record_filter\.condition: the expression/),
        expect.stringMatching(
          /pagination_strategy: a strategy of the type CustomPaginationStrategy: only the first page/,
        ),
        expect.stringMatching(/transformations\.0\.fields\.0: the expression \{\{ next_page/),
        expect.stringMatching(/transformations\.1: the transformation RemoveFields under a condition/),
        expect.stringMatching(/decoder: a decoder of the type CustomDecoder/),
        expect.stringMatching(/incremental_sync: a cursor of the type IncrementingCountCursor/),
      ]),
    )
  })

  it('asks for a setting that an address needs, and comes to an end with references in a circle', () => {
    expect(() => imported(one({ requester: { path: "/a/{{ config['shop'] }}" } }))).toThrow(
      /no stream is left/,
    )
    const circular = {
      type: 'DeclarativeSource',
      definitions: { a: { $ref: '#/definitions/a' } },
      streams: ['#/definitions/a'],
    }
    expect(() => imported(JSON.stringify(circular))).toThrow(/no base address/)
  })
})
