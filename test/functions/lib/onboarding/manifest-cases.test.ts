import { describe, expect, it } from 'vitest'
import type { JsonObject } from '#lib/json/json-value.ts'
import { runImported } from './run-imported.ts'

type Answer = Parameters<typeof runImported>[1]

const query = (field_name: string) => ({ inject_into: 'request_parameter', field_name })
const inBody = (...field_path: string[]) => ({ inject_into: 'body_json', field_path })

/** A stream without the types that follow from their places. */
const stream = (
  name: string,
  requester: JsonObject = {},
  retriever: JsonObject = {},
  more: JsonObject = {},
) => ({
  name,
  primary_key: 'id',
  retriever: {
    requester: { url_base: 'ORIGIN', path: `/${name}`, ...requester },
    record_selector: { extractor: { field_path: ['data'] } },
    ...retriever,
  },
  ...more,
})

const pages = (
  pagination_strategy: JsonObject,
  page_token_option: JsonObject,
  page_size_option?: JsonObject,
) => ({
  paginator: {
    type: 'DefaultPaginator',
    pagination_strategy,
    page_token_option,
    ...(page_size_option === undefined ? {} : { page_size_option }),
  },
})

const ids = (...all: (number | string)[]) => all.map(id => ({ id }))

/** Ten rows with the newest first, four a page; `after` is the id of the last one seen. */
const newestFirst: Answer = ({ query: asked }) => {
  const after = Number(asked.get('after') ?? 11)
  const left = [10, 9, 8, 7, 6, 5, 4, 3, 2, 1].filter(id => id < after)
  return { data: ids(...left.slice(0, 4)), has_more: left.length > 4 }
}

/** Five rows, two a page, by the number in the query or in the body. */
const numbered: Answer = ({ query: asked, body }) => {
  const sent = body === '' ? {} : JSON.parse(body)
  const page = Number(asked.get('page') ?? sent.page?.number ?? 1)
  return { data: ids(1, 2, 3, 4, 5).slice(page * 2 - 2, page * 2), next: page < 3 }
}

const parents: Answer = ({ path, query: asked }) =>
  path === '/parents'
    ? {
        data: [
          { id: 1, name: 'a' },
          { id: 2, name: 'b' },
          { id: null, name: 'c' },
        ],
      }
    : { data: ids(`${path}${asked.get('parent') ?? ''}`) }

const below = (more: JsonObject = {}) => ({
  partition_router: {
    type: 'SubstreamPartitionRouter',
    parent_stream_configs: [{ stream: stream('parents'), parent_key: 'id', partition_field: 'p', ...more }],
  },
})

const numbers = { type: 'PageIncrement', start_from_page: 1, page_size: 2 }

/** One trait of manifests each: the requests and the rows that it asks for. */
const cases: [
  trait: string,
  streams: JsonObject[],
  answer: Answer,
  expected: { requests: string[]; rows: string[]; settings?: JsonObject; spec?: JsonObject },
][] = [
  [
    'A1 a POST with its page in the query',
    [
      stream(
        's',
        { http_method: 'POST', request_body_json: { q: '*' } },
        pages(numbers, query('page'), query('size')),
      ),
    ],
    numbered,
    {
      requests: [
        'POST /s?size=2 {"q":"*"}',
        'POST /s?size=2&page=2 {"q":"*"}',
        'POST /s?size=2&page=3 {"q":"*"}',
      ],
      rows: ['1', '2', '3', '4', '5'],
    },
  ],
  [
    'A17 a page inside of the body',
    [stream('s', { http_method: 'POST' }, pages(numbers, inBody('page', 'number'), inBody('page', 'size')))],
    numbered,
    {
      requests: [
        'POST /s {"page":{"size":2}}',
        'POST /s {"page":{"size":2,"number":2}}',
        'POST /s {"page":{"size":2,"number":3}}',
      ],
      rows: ['1', '2', '3', '4', '5'],
    },
  ],
  [
    'a page of a GET in its body',
    [stream('s', {}, pages(numbers, { inject_into: 'body_json', field_name: 'page' }))],
    ({ body }) => {
      const page = body === '' ? 1 : JSON.parse(body).page
      return { data: ids(1, 2, 3, 4, 5).slice(page * 2 - 2, page * 2) }
    },
    {
      requests: ['GET /s', 'GET /s {"page":2}', 'GET /s {"page":3}'],
      rows: ['1', '2', '3', '4', '5'],
    },
  ],
  ...(
    [
      ['A2 the last item by its position', "{{ response['data'][-1]['id'] }}"],
      ['A3 the last record', "{{ last_record['id'] }}"],
    ] as const
  ).map(([trait, cursor_value]): (typeof cases)[number] => [
    `${trait} as cursor`,
    [
      stream(
        's',
        {},
        pages(
          { type: 'CursorPagination', cursor_value, stop_condition: '{{ not response.has_more }}' },
          query('after'),
        ),
      ),
    ],
    newestFirst,
    {
      requests: ['GET /s', 'GET /s?after=7', 'GET /s?after=3'],
      rows: ['10', '9', '8', '7', '6', '5', '4', '3', '2', '1'],
    },
  ]),
  [
    'A4 $parameters as keys',
    [
      {
        $parameters: { name: 's1', path: '/s1', primary_key: 'id', field_path: ['data'], url_base: 'ORIGIN' },
        retriever: { requester: {}, record_selector: { extractor: {} } },
      },
      {
        $parameters: { name: 's2', path: '/s2', primary_key: 'id', field_path: ['data'], url_base: 'ORIGIN' },
        retriever: { requester: {}, record_selector: { extractor: {} } },
      },
    ],
    ({ path }) => ({ data: ids(path) }),
    { requests: ['GET /s1', 'GET /s2'], rows: ['/s1', '/s2'] },
  ],
  [
    'A5 defaults, conditions and sums, O3 settings that are left out',
    [
      stream('s', {
        request_parameters: {
          n: "{{ config.get('limit', 50) }}",
          m: "{{ config['m'] or 'full' }}",
          k: "{{ config['k'] | default('x') }}",
          z: "{{ 'eu' if config.region == 'EU' else 'us' }}-{{ 1 + 1 }}",
          gone: "{{ config['optional'] }}",
        },
      }),
    ],
    () => ({ data: ids(1) }),
    {
      requests: ['GET /s?n=50&m=full&k=x&z=eu-2'],
      rows: ['1'],
      settings: { region: 'EU' },
      spec: { properties: { limit: {}, m: {}, k: {}, optional: {}, region: {} } },
    },
  ],
  [
    'A10 children whose requests do not name the parent, O16 a parent without a key',
    [stream('s', {}, below())],
    parents,
    { requests: ['GET /parents', 'GET /s', 'GET /s'], rows: ['/s', '/s'] },
  ],
  [
    'a parent in the query',
    [stream('s', { request_parameters: { parent: 'p-{{ stream_partition.p }}' } }, below())],
    parents,
    { requests: ['GET /parents', 'GET /s?parent=p-1', 'GET /s?parent=p-2'], rows: ['/sp-1', '/sp-2'] },
  ],
  [
    'lists and parents together',
    [
      stream(
        's',
        { path: '/{{ stream_partition.kind }}/{{ stream_partition.p }}' },
        {
          partition_router: [
            { type: 'ListPartitionRouter', values: "{{ config['kinds'] }}", cursor_field: 'kind' },
            below().partition_router,
          ],
        },
      ),
    ],
    parents,
    {
      requests: ['GET /parents', 'GET /x/1', 'GET /x/2', 'GET /y/1', 'GET /y/2'],
      rows: ['/x/1', '/x/2', '/y/1', '/y/2'],
      settings: { kinds: ['x', 'y'] },
    },
  ],
  [
    'A11 a body of a GET, O10 a body as text',
    [
      stream('s', { request_body_json: { q: 1 } }),
      stream('t', { http_method: 'POST', request_body_data: "a={{ config['a'] }}" }),
      stream('u', { http_method: 'POST' }),
    ],
    ({ path }) => ({ data: ids(path) }),
    { requests: ['GET /s {"q":1}', 'POST /t a=5', 'POST /u'], rows: ['/s', '/t', '/u'], settings: { a: 5 } },
  ],
  [
    'A12 a positive condition whose field is missing',
    [
      stream(
        's',
        {},
        pages(
          {
            type: 'CursorPagination',
            cursor_value: '{{ response.meta.next }}',
            stop_condition: "{{ response.get('done', False) }}",
          },
          query('page'),
        ),
      ),
    ],
    ({ query: asked }) => {
      const page = Number(asked.get('page') ?? 1)
      return { data: ids(page), meta: { next: page + 1 }, ...(page === 3 ? { done: true } : {}) }
    },
    { requests: ['GET /s', 'GET /s?page=2', 'GET /s?page=3'], rows: ['1', '2', '3'] },
  ],
  [
    'A14 booleans and lists of parameters',
    [stream('s', { request_parameters: { b: true, l: ['a', 'b'], c: '{{ config.flag }}' } })],
    () => ({ data: ids(1) }),
    { requests: ['GET /s?b=True&l=a&l=b&c=False'], rows: ['1'], settings: { flag: false } },
  ],
  [
    'A16 * in the path of the rows, and a filter of them',
    [
      stream(
        's',
        {},
        {
          record_selector: {
            extractor: { field_path: ['data', '*', 'row'] },
            record_filter: { condition: "{{ record.id > 1 and record['kind'] in ['a', 'b'] }}" },
          },
        },
      ),
    ],
    () => ({
      data: [{ row: { id: 1, kind: 'a' } }, { row: { id: 2, kind: 'a' } }, { row: { id: 3, kind: 'c' } }, {}],
    }),
    { requests: ['GET /s'], rows: ['2'] },
  ],
  [
    'a filter by the start of the time, of a stream that no parameter asks for it',
    [
      stream(
        's',
        {},
        {
          record_selector: {
            extractor: { field_path: ['data'] },
            record_filter: {
              condition: "{{ record['at'] >= stream_interval.get('start_time', config.get('start')) }}",
            },
          },
        },
        {
          incremental_sync: {
            type: 'DatetimeBasedCursor',
            cursor_field: 'at',
            datetime_format: '%Y-%m-%d',
            start_datetime: "{{ config['start'] }}",
          },
        },
      ),
    ],
    () => ({
      data: [
        { id: 1, at: '2025-12-31' },
        { id: 2, at: '2026-01-02' },
      ],
    }),
    { requests: ['GET /s'], rows: ['2'], settings: { start: '2026-01-01' } },
  ],
  [
    'O8 a list in the rows of the parent with the name of the child',
    [stream('parents', {}, {}, {}), stream('parents_s', { path: '/s/{{ stream_slice.p }}' }, below())],
    ({ path }) => (path === '/parents' ? { data: [{ id: 1, s: [{ sku: 'x' }] }] } : { data: ids(path) }),
    { requests: ['GET /parents', 'GET /s/1'], rows: ['1', '/s/1'] },
  ],
  [
    'O17 an offset without a size',
    [stream('s', {}, pages({ type: 'OffsetIncrement' }, query('from')))],
    ({ query: asked }) => ({
      data: ids(1, 2, 3)
        .slice(Number(asked.get('from') ?? 0))
        .slice(0, 2),
    }),
    { requests: ['GET /s', 'GET /s?from=2', 'GET /s?from=3'], rows: ['1', '2', '3'] },
  ],
]

describe('traits of manifests', () => {
  it.each(cases)(
    '%s',
    async (_, streams, answer, { requests, rows, settings = {}, spec = { properties: {} } }) => {
      const manifest = { type: 'DeclarativeSource', streams, spec: { connection_specification: spec } }
      const ran = await runImported(JSON.stringify(manifest), answer, settings)
      expect(ran.losses.filter(({ level }) => level === 'rows')).toEqual([])
      const sent = ran.requests.map(
        ({ method, url, body }) => `${method} ${url}${body === '' ? '' : ` ${body}`}`,
      )
      expect(sent.toSorted()).toEqual(requests.toSorted())
      const read = Object.entries(ran.tables)
        .filter(([name]) =>
          streams.some(one => name.endsWith(`.${one['name'] ?? (one['$parameters'] as JsonObject)['name']}`)),
        )
        .flatMap(([, table]) => table.trim().split('\n').slice(1))
        .map(line => line.split(',')[0]?.replaceAll('"', ''))
      expect(read.toSorted()).toEqual(rows.toSorted())
    },
  )

  it.each([
    ['%Y-%m-%dT%H:%M:%S', '2026-01-02T03:04:05'],
    ['%Y-%m-%dT%H:%M:%S%z', '2026-01-02T03:04:05+0000'],
    ['%Y-%m-%dT%H:%M:%S.%fZ', '2026-01-02T03:04:05.000000Z'],
    ['updated:gte:%Y-%m-%d', 'updated:gte:2026-01-02'],
    ['%s', '1767323045'],
    ['%s_as_float', '1767323045.0'],
    ['%epoch_microseconds', '1767323045000000'],
    [
      '%epoch_microseconds',
      '1767323045000000',
      "{{ format_datetime(config['start'], '%epoch_microseconds') }}",
    ],
  ])('A15 times as %s', async (datetime_format, sent, start_datetime = "{{ config['start'] }}") => {
    const sync = {
      type: 'DatetimeBasedCursor',
      cursor_field: 'at',
      datetime_format,
      start_datetime,
      end_datetime: "{{ config['end'] }}",
      start_time_option: query('since'),
    }
    const ran = await runImported(
      JSON.stringify({
        type: 'DeclarativeSource',
        streams: [stream('s', {}, {}, { incremental_sync: sync })],
        spec: { connection_specification: { required: ['start'], properties: { start: {}, end: {} } } },
      }),
      () => ({ data: [{ id: 1, at: '2026-01-02T03:04:05Z' }] }),
      { start: '2026-01-02T03:04:05Z' },
    )
    expect(ran.requests.map(({ query: asked }) => asked.get('since'))).toEqual([sent])
  })

  it('O1 a child is read for all rows of a parent that is incremental by itself, from its start', async () => {
    const sync = {
      type: 'DatetimeBasedCursor',
      cursor_field: 'at',
      datetime_format: '%s',
      start_datetime: '2026-01-01',
      start_time_option: query('since'),
    }
    const router = (incremental_dependency: boolean) => ({
      partition_router: {
        type: 'SubstreamPartitionRouter',
        parent_stream_configs: [
          {
            stream: stream('parents', {}, {}, { incremental_sync: sync }),
            parent_key: 'id',
            partition_field: 'p',
            incremental_dependency,
          },
        ],
      },
    })
    for (const isDependent of [true, false]) {
      const ran = await runImported(
        JSON.stringify({ type: 'DeclarativeSource', streams: [stream('s', {}, router(isDependent))] }),
        () => ({ data: [] }),
      )
      expect(ran.requests[0]?.query.get('since')).toBe('1767225600')
      expect(ran.losses.some(({ why }) => why.includes('is read whole in each run'))).toBe(!isDependent)
    }
  })

  it('a zero in place of what is missing is compared, and is the value of a field', async () => {
    const strategy = {
      type: 'CursorPagination',
      cursor_value: '{{ response.next }}',
      stop_condition: "{{ response.get('count', 0) < 2 }}",
    }
    const add = { type: 'AddFields', fields: [{ path: ['n'], value: "{{ record.get('n', 0) }}" }] }
    const ran = await runImported(
      JSON.stringify({
        type: 'DeclarativeSource',
        streams: [stream('s', {}, pages(strategy, query('after')), { transformations: [add] })],
      }),
      ({ query: asked }) =>
        asked.has('after') ? { data: ids(3), next: 'b' } : { data: ids(1, 2), count: 2, next: 'a' },
    )
    expect(ran.requests).toHaveLength(2)
    expect(ran.tables['b.s']).toBe('"id","n"\n"1","0"\n"2","0"\n"3","0"\n')
  })

  it.each([
    ['of several of its fields', "{{ { 'a': record['of'], 'b': record['id'] } }}"],
    ['of its partition', "{{ { 'a': stream_partition.p, 'b': record.id } }}"],
  ])('a key that the parent makes %s is in the address of its children', async (_, made) => {
    const comments = stream('comments', { path: '/articles/{{ stream_partition.p }}/comments' }, below(), {
      transformations: [{ type: 'AddFields', fields: [{ path: ['_made'], value: made }] }],
    })
    const router = {
      type: 'SubstreamPartitionRouter',
      parent_stream_configs: [{ stream: comments, parent_key: '_made', partition_field: 'id' }],
    }
    const votes = stream(
      'votes',
      { path: '/articles/{{ stream_partition.id.a }}/comments/{{ stream_partition.id.b }}/votes' },
      { partition_router: router },
      {
        transformations: [
          { type: 'AddFields', fields: [{ path: ['of'], value: '{{ stream_slice.id.b }}' }] },
        ],
      },
    )
    const ran = await runImported(
      JSON.stringify({ type: 'DeclarativeSource', streams: [votes] }),
      ({ path }) => {
        if (path === '/parents') return { data: ids(1, 2) }
        const [, , article, , comment] = path.split('/')
        return {
          data: comment === undefined ? [{ id: `c${article}`, of: Number(article) }] : ids(`v${comment}`),
        }
      },
    )
    expect(ran.losses).toEqual([])
    expect(ran.requests.map(({ path }) => path).filter(path => path.endsWith('votes'))).toEqual([
      '/articles/1/comments/c1/votes',
      '/articles/2/comments/c2/votes',
    ])
    expect(ran.tables['b.votes']).toContain('vc1')
    expect(ran.tables['b.votes']).toContain('vc2')
  })

  it('A6 A7 addresses of logins take settings, and their own credentials are sent', async () => {
    const authenticator = {
      type: 'SessionTokenAuthenticator',
      login_requester: {
        url_base: 'ORIGIN/{{ config.tenant }}',
        path: 'login',
        http_method: 'POST',
        authenticator: { type: 'BasicHttpAuthenticator', username: 'me', password: "{{ config['pass'] }}" },
      },
      session_token_path: ['token'],
      request_authentication: { type: 'Bearer' },
    }
    const ran = await runImported(
      JSON.stringify({ type: 'DeclarativeSource', streams: [stream('s', { authenticator })] }),
      ({ path, headers }) =>
        path === '/t1/login'
          ? { token: headers.authorization }
          : { data: ids(String(headers.authorization)) },
      { tenant: 't1', pass: 'p4ss' },
    )
    expect(ran.tables['b.s']).toContain(`Bearer Basic ${Buffer.from('me:p4ss').toString('base64')}`)
  })
})
