import type { JsonObject } from '#lib/json/json-value.ts'
import { type Feature, type Groups, merged, requester } from './feature.ts'

const rowsAt = (...field_path: string[]): JsonObject => ({
  retriever: { record_selector: { extractor: { type: 'DpathExtractor', field_path } } },
})
const filter = (condition: string): JsonObject => ({
  retriever: { record_selector: { record_filter: { type: 'RecordFilter', condition } } },
})
const changed = (...transformations: JsonObject[]): JsonObject => ({ transformations })
const added = (path: string[], value: string, more: JsonObject = {}): JsonObject => ({
  type: 'AddFields',
  fields: [{ type: 'AddedFieldDefinition', path, value }],
  ...more,
})

const option = (inject_into: string, field_name: string): JsonObject => ({
  type: 'RequestOption',
  inject_into,
  field_name,
})
const routed = (...routers: JsonObject[]): JsonObject => ({
  retriever: { partition_router: routers.length === 1 ? (routers[0] ?? null) : routers },
})
const list = (values: JsonObject['values'], more: JsonObject = {}): JsonObject => ({
  type: 'ListPartitionRouter',
  cursor_field: 'kind',
  values: values ?? null,
  ...more,
})
const parent = (path: string, retriever: JsonObject = {}): JsonObject => ({
  type: 'DeclarativeStream',
  name: path.slice(1),
  primary_key: 'id',
  schema_loader: { type: 'InlineSchemaLoader', schema: {} },
  retriever: merged(
    {
      type: 'SimpleRetriever',
      requester: { type: 'HttpRequester', url_base: 'ORIGIN', path },
      record_selector: {
        type: 'RecordSelector',
        extractor: { type: 'DpathExtractor', field_path: ['data'] },
      },
    },
    retriever,
  ),
})
const below = (more: JsonObject = {}): JsonObject => ({
  type: 'SubstreamPartitionRouter',
  parent_stream_configs: [
    {
      type: 'ParentStreamConfig',
      stream: parent('/parents'),
      parent_key: 'id',
      partition_field: 'p',
      ...more,
    },
  ],
})
const sliced = (name: string, router: JsonObject | JsonObject[], request: JsonObject = {}): Feature => ({
  name,
  stream: merged(routed(...[router].flat()), requester(request)),
})

const ofSlice = "{{ stream_slice['p'] }}"
const ofKind = "{{ stream_partition['kind'] }}"

const cursor = (more: JsonObject): JsonObject => ({
  incremental_sync: {
    type: 'DatetimeBasedCursor',
    cursor_field: 'at',
    datetime_format: '%Y-%m-%dT%H:%M:%SZ',
    start_datetime: '2026-01-01T00:00:00Z',
    end_datetime: { type: 'MinMaxDatetime', datetime: '2026-01-10T00:00:00Z' },
    ...more,
  },
})
const since = (more: JsonObject): JsonObject =>
  cursor({ start_time_option: option('request_parameter', 'since'), ...more })
const until = { end_time_option: option('request_parameter', 'until') }
const formats = ['%Y-%m-%d', '%s', '%ms', '%Y-%m-%dT%H:%M:%S', '%Y-%m-%dT%H:%M:%S%z', '%Y-%m-%dT%H:%M:%S.%fZ']

/** Which rows there are, and what becomes of them. */
export const ofRows: Groups = {
  selectors: [
    { name: 'rows inside', shape: 'nested', stream: rowsAt('result', 'items') },
    { name: 'rows under *', shape: 'star', stream: rowsAt('entries', '*', 'row') },
    { name: 'one row', shape: 'one', stream: rowsAt('data'), isAlone: true },
    { name: 'a list at the root', shape: 'list', stream: rowsAt(), isAlone: true },
    { name: 'a path of a setting', stream: rowsAt("{{ config['rows'] }}"), config: { rows: 'data' } },
    {
      name: 'JSON lines',
      shape: 'lines',
      isAlone: true,
      stream: merged(rowsAt(), { retriever: { decoder: { type: 'JsonlDecoder' } } }),
    },
    {
      name: 'CSV',
      shape: 'csv',
      isAlone: true,
      stream: merged(rowsAt(), { retriever: { decoder: { type: 'CsvDecoder' } } }),
    },
  ],
  filters: [
    { name: 'a filter by number', stream: filter('{{ record.n > 2 }}') },
    {
      name: 'a filter by a setting',
      stream: filter("{{ record['kind'] == config['kind'] }}"),
      config: { kind: 'odd' },
    },
    { name: 'a filter by a list', stream: filter("{{ record.kind in ['even'] and not record.gone }}") },
  ],
  changes: [
    { name: 'a constant added', stream: changed(added(['source'], 'web')) },
    { name: 'a value of the row added', stream: changed(added(['copy'], "{{ record['nested']['k'] }}")) },
    { name: 'a text of two added', stream: changed(added(['both'], "{{ record.kind }}-{{ record['n'] }}")) },
    {
      name: 'a setting added',
      stream: changed(added(['shop'], "{{ config['shop'] }}")),
      config: { shop: 'x' },
    },
    { name: 'a value added inside', stream: changed(added(['nested', 'new'], '{{ record.n + 1 }}')) },
    {
      name: 'a value added under a condition',
      stream: changed(added(['big'], 'yes', { condition: '{{ record.n > 3 }}' })),
    },
    {
      name: 'fields removed',
      stream: changed({ type: 'RemoveFields', field_pointers: [['kind'], ['nested', 'deep']] }),
    },
    {
      name: 'added, then removed',
      stream: changed(added(['copy'], '{{ record.n }}'), { type: 'RemoveFields', field_pointers: [['n']] }),
    },
    { name: 'keys in small letters', stream: changed({ type: 'KeysToLower' }), isAlone: true },
    { name: 'flattened', stream: changed({ type: 'FlattenFields' }), isAlone: true },
  ],
  partitions: [
    sliced('a list in the query', list(['a', 'b'], { request_option: option('request_parameter', 'kind') })),
    sliced('a list in a header', list(['a', 'b'], { request_option: option('header', 'X-Kind') })),
    sliced('a list in the path', list(['a', 'b']), { path: `/${ofKind}/s` }),
    sliced('a list in a parameter', list(['a', 'b']), { request_parameters: { q: `kind:${ofKind}` } }),
    {
      ...sliced(
        'a list of a setting',
        list("{{ config['kinds'] }}", { request_option: option('request_parameter', 'kind') }),
      ),
      config: { kinds: ['a', 'b'] },
    },
    sliced('two lists', [
      list(['a', 'b'], { request_option: option('request_parameter', 'kind') }),
      list(['x', 'y'], { cursor_field: 'zone', request_option: option('request_parameter', 'zone') }),
    ]),
    sliced('a parent in the path', below(), { path: `/parents/${ofSlice}/s` }),
    sliced('a parent in the query', below({ request_option: option('request_parameter', 'parent') })),
    sliced('a parent in a parameter', below(), { request_parameters: { q: `id:${ofSlice}` } }),
    sliced('a parent in the body', below(), { http_method: 'POST', request_body_json: { id: ofSlice } }),
    sliced('a parent that the request does not name', below()),
    sliced('a parent by a key inside', below({ parent_key: 'deep/key' }), { path: `/parents/${ofSlice}/s` }),
    sliced('further fields of a parent', below({ extra_fields: [['code']] }), {
      path: `/parents/${ofSlice}/s`,
      request_parameters: { code: "{{ stream_slice.extra_fields['code'] }}" },
    }),
    sliced(
      'a list and a parent',
      [list(['a', 'b'], { request_option: option('request_parameter', 'kind') }), below()],
      {
        path: `/parents/${ofSlice}/s`,
      },
    ),
    sliced(
      'two parents of one stream',
      {
        type: 'SubstreamPartitionRouter',
        parent_stream_configs: ['/parents', '/teams'].map(path => ({
          type: 'ParentStreamConfig',
          stream: parent(path),
          parent_key: 'id',
          partition_field: 'p',
        })),
      },
      { path: `/of/${ofSlice}/s` },
    ),
    sliced(
      'a parent of a parent',
      below({
        stream: parent('/parents', {
          requester: { path: "/teams/{{ stream_slice['t'] }}/s" },
          partition_router: {
            type: 'SubstreamPartitionRouter',
            parent_stream_configs: [
              {
                type: 'ParentStreamConfig',
                stream: parent('/teams'),
                parent_key: 'id',
                partition_field: 't',
              },
            ],
          },
        }),
        parent_key: 'n',
      }),
      { path: `/parents/${ofSlice}/s` },
    ),
    {
      ...sliced(
        'a partition added to the rows',
        list(['a', 'b'], { request_option: option('request_parameter', 'kind') }),
      ),
      stream: merged(
        routed(list(['a', 'b'], { request_option: option('request_parameter', 'kind') })),
        changed(added(['of'], ofKind)),
      ),
      isAlone: true,
    },
    {
      name: 'a parent added to the rows',
      stream: merged(
        merged(routed(below()), requester({ path: `/parents/${ofSlice}/s` })),
        changed(added(['of'], ofSlice)),
      ),
      isAlone: true,
    },
  ],
  times: [
    ...formats.map(datetime_format => ({
      name: `times as ${datetime_format}`,
      stream: since({
        datetime_format,
        start_datetime: {
          type: 'MinMaxDatetime',
          datetime: '2026-01-01T00:00:00Z',
          datetime_format: '%Y-%m-%dT%H:%M:%SZ',
        },
        end_datetime: {
          type: 'MinMaxDatetime',
          datetime: '2026-01-10T00:00:00Z',
          datetime_format: '%Y-%m-%dT%H:%M:%SZ',
        },
        cursor_datetime_formats: ['%Y-%m-%dT%H:%M:%SZ'],
      }),
    })),
    { name: 'a start and an end', stream: since(until) },
    { name: 'steps', stream: since({ ...until, step: 'P4D', cursor_granularity: 'PT1S' }) },
    {
      name: 'steps of months',
      stream: since({
        ...until,
        start_datetime: '2025-11-15T00:00:00Z',
        step: 'P1M',
        cursor_granularity: 'PT1S',
      }),
    },
    {
      name: 'a start of a setting',
      stream: since({ start_datetime: "{{ config['start'] }}" }),
      config: { start: '2026-01-03T00:00:00Z' },
    },
    {
      name: 'an interval in parameters',
      stream: merged(
        cursor({ step: 'P4D', cursor_granularity: 'PT1S' }),
        requester({
          request_parameters: {
            q: "at>{{ stream_interval['start_time'] }} and at<{{ stream_interval['end_time'] }}",
          },
        }),
      ),
    },
    {
      name: 'rows that the client leaves out',
      stream: cursor({ start_datetime: '2026-01-03T00:00:00Z', is_client_side_incremental: true }),
    },
    {
      name: 'time in a JSON body',
      stream: merged(
        since({ start_time_option: option('body_json', 'since') }),
        requester({ http_method: 'POST' }),
      ),
    },
  ],
  errors: [
    {
      name: 'an answer that is passed over',
      isAlone: true,
      stream: requester({
        path: '/s/missing',
        error_handler: {
          type: 'DefaultErrorHandler',
          response_filters: [{ type: 'HttpResponseFilter', http_codes: [404], action: 'IGNORE' }],
        },
      }),
    },
  ],
}
