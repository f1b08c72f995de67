import { describe, expect, it } from 'vitest'
import type { JsonObject } from '#lib/json/json-value.ts'
import { importedDraft, runImported } from './run-imported.ts'

const option = (field_name: string, inject_into = 'request_parameter') => ({
  type: 'RequestOption',
  inject_into,
  field_name,
})

/** A manifest of one stream that is read by its cursor. */
const manifest = (
  cursor: JsonObject,
  more: { requester?: object; retriever?: object; stream?: object } = {},
) => ({
  type: 'DeclarativeSource',
  streams: [
    {
      type: 'DeclarativeStream',
      name: 'rows',
      primary_key: 'id',
      retriever: {
        type: 'SimpleRetriever',
        requester: { type: 'HttpRequester', url_base: 'ORIGIN', path: '/rows', ...more.requester },
        record_selector: { extractor: { type: 'DpathExtractor', field_path: [] } },
        ...more.retriever,
      },
      incremental_sync: {
        type: 'DatetimeBasedCursor',
        cursor_field: 'at',
        datetime_format: '%Y-%m-%dT%H:%M:%SZ',
        start_datetime: '2026-01-01T00:00:00Z',
        end_datetime: '2026-01-08T00:00:00Z',
        ...cursor,
      },
      ...more.stream,
    },
  ],
})

const rows = [
  { id: 1, at: '2025-12-31T00:00:00Z' },
  { id: 2, at: '2026-01-02T00:00:00Z' },
]

const run = async (document: object, answer: Parameters<typeof runImported>[1] = () => []) => {
  const { losses, warnings, tables, requests, config } = await runImported(JSON.stringify(document), answer)
  return {
    urls: requests.map(({ url, body }) => (body === '' ? url : `${url} ${body}`)),
    losses: losses.map(({ path, why }) => `${path}: ${why}`),
    warnings,
    tables,
    jobs: config.jobs,
  }
}

it('a stream of times without a key, whose windows are asked for at once, may lose rows', async () => {
  const lossesOf = async (step?: string) => {
    const cursor = {
      datetime_format: '%Y-%m-%d',
      start_datetime: '2020-01-01',
      start_time_option: option('since'),
      end_time_option: option('until'),
      ...(step === undefined ? {} : { step, cursor_granularity: 'P1D' }),
    }
    const { end_datetime: _, ...sync } = manifest(cursor).streams[0]?.incremental_sync ?? {}
    const given = manifest({}, { stream: { primary_key: [], incremental_sync: sync } })
    const ran = await runImported(JSON.stringify(given), () => [])
    return ran.losses.filter(({ level }) => level === 'rows')
  }
  expect(await lossesOf('P1M')).toMatchObject([{ why: expect.stringContaining('asked for at once') }])
  expect(await lossesOf()).toEqual([])
})

describe('a datetime cursor of Airbyte', () => {
  it('with both ends is read in windows, whose last has the end in it', async () => {
    const { urls, losses, warnings, jobs } = await run(
      manifest({
        start_time_option: option('since'),
        end_time_option: option('until'),
        step: 'P4D',
        cursor_granularity: 'PT1S',
        lookback_window: 'P1D',
      }),
    )
    expect(losses).toEqual([])
    expect(warnings).toEqual([])
    expect(urls.map(decodeURIComponent)).toEqual([
      '/rows?since=2026-01-01T00:00:00Z&until=2026-01-04T23:59:59Z',
      '/rows?since=2026-01-05T00:00:00Z&until=2026-01-08T00:00:00Z',
    ])
    expect(jobs[0]?.['incremental']).toMatchObject({ lookback: 'P1D', granularity: 'PT1S' })
  })

  it('in expressions of the request is put there, in the form of the manifest', async () => {
    const { urls, losses } = await run(
      manifest(
        { step: 'P4D', cursor_granularity: 'P1D', datetime_format: '%Y/%m/%d' },
        {
          requester: {
            path: "/days/{{ stream_slice['start_time'] }}",
            request_parameters: { q: "at<={{ stream_interval['end_time'] }}" },
          },
        },
      ),
    )
    expect(losses).toEqual([])
    expect(urls.map(decodeURIComponent)).toEqual([
      '/days/2026/01/01?q=at<=2026/01/04',
      '/days/2026/01/05?q=at<=2026/01/08',
    ])
  })

  it('in a body, as Unix times', async () => {
    const { urls } = await run(
      manifest(
        { start_time_option: option('from', 'body_json'), datetime_format: '%s' },
        { requester: { http_method: 'POST', request_body_json: { size: 5 } } },
      ),
    )
    expect(urls).toEqual(['/rows {"size":5,"from":1767225600}'])
  })

  it('without a parameter drops rows from before when the tool does so, and reads all when it does not', async () => {
    const dropped = await run(manifest({ is_client_side_incremental: true }), () => rows)
    expect(dropped.tables['b.rows']).toBe('"id","at"\n"2","2026-01-02T00:00:00Z"\n')
    const all = await run(manifest({}), () => rows)
    expect(all.tables['b.rows']?.trim().split('\n')).toHaveLength(3)
    expect(all.losses).toEqual([expect.stringMatching(/incremental: .* no parameter asks for them/)])
  })

  it('says what windows cannot have', async () => {
    const one = await run(
      manifest({
        start_time_option: option('since'),
        step: 'P1D',
        cursor_granularity: 'PT0.000001S',
        lookback_window: 'P0D',
      }),
    )
    expect(one.urls.map(decodeURIComponent)).toEqual(['/rows?since=2026-01-01T00:00:00Z'])
    expect(one.losses).toEqual([
      expect.stringMatching(/incremental\.step: the request has only one end/),
      expect.stringMatching(/incremental\.granularity: the request has no end/),
    ])
    const fine = await run(
      manifest({
        start_time_option: option('since'),
        end_time_option: option('until'),
        cursor_granularity: 'PT0.000001S',
      }),
    )
    expect(fine.losses).toEqual([expect.stringMatching(/granularity: the duration PT0.000001S/)])
    const keyless = await run(
      manifest({ start_time_option: option('since') }, { stream: { primary_key: null } }),
    )
    expect(keyless.losses).toEqual([expect.stringMatching(/the stream has no key/)])
    expect(keyless.urls).toEqual(['/rows?since=2026-01-01T00%3A00%3A00Z'])
  })

  it('in each part of a list has a state of its own, and one table', async () => {
    const list = { type: 'ListPartitionRouter', cursor_field: 'kind', values: ['a', 'b'] }
    const { urls, tables, jobs } = await run(
      manifest(
        { start_time_option: option('since') },
        { retriever: { partition_router: { ...list, request_option: option('kind') } } },
      ),
      ({ query }) => [{ id: query.get('kind'), at: '2026-01-02T00:00:00Z' }],
    )
    expect(jobs.map(({ id, dataType }) => [id, dataType])).toEqual([
      ['rows_1', 'rows'],
      ['rows_2', 'rows'],
    ])
    expect(urls.toSorted().map(url => new URLSearchParams(url.split('?')[1]).get('kind'))).toEqual(['a', 'b'])
    expect(tables['b.rows']?.trim().split('\n')).toHaveLength(3)
  })
})

it('children of a stream with several parts are below each of them', () => {
  const whole = manifest({}, { stream: { incremental_sync: undefined } })
  const [parent] = whole.streams
  const values = ['a', 'b']
  const router = { type: 'ListPartitionRouter', cursor_field: 'kind', values, request_option: option('kind') }
  const kinds = { ...parent, retriever: { ...parent?.retriever, partition_router: router } }
  const requester = { ...parent?.retriever.requester, path: "/rows/{{ stream_slice['row'] }}" }
  const substream = {
    type: 'SubstreamPartitionRouter',
    parent_stream_configs: [{ stream: kinds, parent_key: 'id', partition_field: 'row' }],
  }
  const below = {
    ...parent,
    name: 'parts',
    retriever: { ...parent?.retriever, requester, partition_router: substream },
  }
  const { draft, losses } = importedDraft(
    JSON.stringify({ ...whole, streams: [kinds, below] }).replaceAll('ORIGIN', 'https://a.example'),
    {},
  )
  expect(losses).toEqual([])
  expect(draft.parameters.config.jobs).toMatchObject([
    { id: 'rows_1', children: [{ id: 'parts_1', dataType: 'parts' }] },
    { id: 'rows_2', children: [{ id: 'parts_2', dataType: 'parts' }] },
  ])
})

describe('incremental of dlt', () => {
  const source = (endpoint: object, more: object = {}) => ({
    client: { base_url: 'ORIGIN', paginator: 'single_page' },
    resources: [{ name: 'rows', primary_key: 'id', endpoint: { path: 'rows', ...endpoint }, ...more }],
  })

  it('of times has a start, an end and a lag', async () => {
    const { urls, losses, jobs } = await run(
      source({
        incremental: {
          cursor_path: '$.at',
          start_param: 'since',
          end_param: 'until',
          initial_value: '2026-01-01',
          end_value: '2026-01-08',
          lag: 3600,
        },
      }),
    )
    expect(losses).toEqual([])
    expect(urls).toEqual(['/rows?since=2026-01-01&until=2026-01-08'])
    expect(jobs[0]?.['incremental']).toMatchObject({ cursor: 'at', lookback: 'PT3600S', format: 'date' })
  })

  it('without a parameter drops rows from before', async () => {
    const { tables } = await run(
      source({ incremental: { cursor_path: 'at', initial_value: '2026-01-01T00:00:00Z' } }),
      () => rows,
    )
    expect(tables['b.rows']).toBe('"id","at"\n"2","2026-01-02T00:00:00Z"\n')
  })

  it('of numbers is the largest one, and its table has the name it is given', async () => {
    const { urls, tables, jobs } = await run(
      source(
        { params: { after: { type: 'incremental', cursor_path: 'id', initial_value: 7 } } },
        { table_name: 'others' },
      ),
      () => rows,
    )
    expect(urls).toEqual(['/rows?after=7'])
    expect(jobs[0]?.['incremental']).toEqual({ idKey: 'id', param: 'after', type: 'number', initial: 7 })
    expect(Object.keys(tables)).toEqual(['b.others'])
  })

  it('says where it cannot ask for changes', async () => {
    const { urls, losses } = await run(
      source({
        incremental: { cursor_path: 'id', initial_value: 7 },
        headers: { 'X-Since': '{incremental.start_value}' },
      }),
    )
    expect(urls).toEqual(['/rows'])
    expect(losses).toEqual([
      expect.stringMatching(/X-Since: .* in a header/),
      expect.stringMatching(/incremental: changes by a value that is no time/),
    ])
  })
})
