import type { JsonObject } from '#lib/json/json-value.ts'
import { type Feature, type Groups, merged, requester } from './feature.ts'

const cursor = (
  name: string,
  cursor_value: string,
  stop_condition?: string,
  [pages, field_name]: [Feature['pages'], string] = ['next', 'after'],
): Feature => ({
  name,
  ...(pages === undefined ? {} : { pages }),
  stream: {
    retriever: {
      paginator: {
        type: 'DefaultPaginator',
        pagination_strategy: {
          type: 'CursorPagination',
          cursor_value,
          ...(stop_condition === undefined ? {} : { stop_condition }),
        },
        page_token_option: { type: 'RequestOption', inject_into: 'request_parameter', field_name },
      },
    },
  },
  isAlone: true,
})

const handled = (name: string, path: string, error_handler: JsonObject): Feature => ({
  name,
  stream: requester({ path, error_handler }),
  isAlone: true,
})
const answers = (filter: JsonObject): JsonObject => ({
  type: 'DefaultErrorHandler',
  response_filters: [{ type: 'HttpResponseFilter', ...filter }],
})

const changed = (name: string, ...transformations: JsonObject[]): Feature => ({
  name,
  stream: { transformations },
  isAlone: true,
})

/** The base stream of `manifestOf` without what `whole` says otherwise. */
const written = (name: string, manifest: JsonObject, more: Omit<Feature, 'name'> = {}): Feature => ({
  name,
  manifest,
  isAlone: true,
  ...more,
})
const selector = { extractor: { field_path: ['data'] } }
const schema_loader = { type: 'InlineSchemaLoader', schema: {} }

const parents = (name: string, retriever: JsonObject = {}, stream: JsonObject = {}): JsonObject => ({
  type: 'DeclarativeStream',
  name,
  primary_key: 'id',
  schema_loader,
  retriever: merged(
    {
      type: 'SimpleRetriever',
      requester: { type: 'HttpRequester', url_base: 'ORIGIN', path: `/${name}` },
      record_selector: {
        type: 'RecordSelector',
        extractor: { type: 'DpathExtractor', field_path: ['data'] },
      },
    },
    retriever,
  ),
  ...stream,
})
const below = (stream: JsonObject, partition_field: string, more: JsonObject = {}): JsonObject => ({
  type: 'SubstreamPartitionRouter',
  parent_stream_configs: [{ type: 'ParentStreamConfig', stream, parent_key: 'id', partition_field, ...more }],
})
const times = (more: JsonObject = {}): JsonObject => ({
  type: 'DatetimeBasedCursor',
  cursor_field: 'at',
  datetime_format: '%Y-%m-%dT%H:%M:%SZ',
  start_datetime: '2026-01-01T00:00:00Z',
  end_datetime: '2026-01-10T00:00:00Z',
  ...more,
})

const changedBy = (fields: Record<string, string>): JsonObject => ({
  transformations: [
    {
      type: 'AddFields',
      fields: Object.entries(fields).map(([name, value]) => ({
        type: 'AddedFieldDefinition',
        path: [name],
        value,
      })),
    },
  ],
})

/** How manifests are written, and what few of them have. */
export const ofManifests: Groups = {
  manifests: [
    written('types by their places', {
      streams: [
        {
          name: 's',
          primary_key: 'id',
          schema_loader,
          retriever: { requester: { url_base: 'ORIGIN', path: '/s' }, record_selector: selector },
        },
      ],
    }),
    written('parameters as keys', {
      streams: [
        {
          type: 'DeclarativeStream',
          $parameters: { name: 's', path: '/of/parameters', primary_key: 'id', field_path: ['data'] },
          schema_loader,
          retriever: {
            type: 'SimpleRetriever',
            requester: { type: 'HttpRequester', url_base: 'ORIGIN' },
            record_selector: { type: 'RecordSelector', extractor: { type: 'DpathExtractor' } },
          },
        },
      ],
    }),
    written('references and parameters in texts', {
      definitions: {
        requester: {
          type: 'HttpRequester',
          url_base: 'ORIGIN',
          path: "/v1/{{ parameters['path'] }}",
          request_parameters: { kind: "{{ parameters.get('kind', 'all') }}" },
        },
        selector: { type: 'RecordSelector', extractor: { type: 'DpathExtractor', field_path: ['data'] } },
        base: {
          type: 'DeclarativeStream',
          primary_key: 'id',
          schema_loader,
          retriever: {
            type: 'SimpleRetriever',
            requester: { $ref: '#/definitions/requester' },
            record_selector: { $ref: '#/definitions/selector' },
          },
        },
      },
      streams: [{ $ref: '#/definitions/base', name: 's', $parameters: { path: 'orders' } }],
    }),
    {
      name: 'a whole url',
      stream: requester({ url_base: null, url: 'ORIGIN/v3/s', path: null }),
      isAlone: true,
    },
    {
      name: 'a name of a parameter from a setting',
      stream: requester({ request_parameters: { "{{ config['field'] }}": 'x' } }),
      config: { field: 'kind' },
      isAlone: true,
    },
    { name: 'no key', stream: { primary_key: null }, isAlone: true },
    { name: 'a key of two', stream: { primary_key: ['id', 'n'] }, isAlone: true },
    { name: 'times without a parameter', stream: { incremental_sync: times() }, isAlone: true },
    {
      name: 'ends of a window as fields',
      stream: merged(changedBy({ from: '{{ stream_interval.start_time }}' }), {
        incremental_sync: times({
          start_time_option: { type: 'RequestOption', inject_into: 'request_parameter', field_name: 'since' },
          end_time_option: { type: 'RequestOption', inject_into: 'request_parameter', field_name: 'until' },
        }),
      }),
      isAlone: true,
    },
    {
      name: 'times in parameters without a key',
      stream: {
        primary_key: null,
        incremental_sync: times({
          start_time_option: { type: 'RequestOption', inject_into: 'request_parameter', field_name: 'since' },
        }),
      },
      isAlone: true,
    },
    { name: 'times without a key', stream: { primary_key: null, incremental_sync: times() }, isAlone: true },
  ],
  cursors: [
    cursor('a number that is one more', '{{ response.page + 1 }}', '{{ response.page >= response.pages }}', [
      'page',
      'page',
    ]),
    cursor(
      'a condition as cursor',
      '{{ response.page + 1 if response.page < response.pages else none }}',
      undefined,
      ['page', 'page'],
    ),
    cursor('a cursor in a header of the answer', "{{ headers['X-Next'] }}"),
    cursor(
      'a cursor by get of headers',
      "{{ headers.get('x-next', '') }}",
      "{{ not headers.get('x-next') }}",
    ),
    cursor('a cursor of a long path', "{{ response.get('meta', {}).get('cursor', {}).get('next') }}"),
    cursor(
      'a stop by the rows',
      '{{ response.next }}',
      "{{ response['data'] | length < 2 or response.next is none }}",
    ),
  ],
  handlers: [
    handled(
      'an answer passed over by its text',
      '/s/missing',
      answers({ error_message_contains: 'not there', action: 'IGNORE' }),
    ),
    handled(
      'passed over by either of two',
      '/s/missing',
      answers({ http_codes: [403], error_message_contains: 'not there', action: 'IGNORE' }),
    ),
    handled(
      'passed over by a part of a text',
      '/s/missing',
      answers({
        predicate: "{{ 'there' in response.get('error', '') or response.code in [1, 2] }}",
        action: 'IGNORE',
      }),
    ),
    handled(
      'an answer passed over by a condition',
      '/s/missing',
      answers({ predicate: "{{ response.error == 'not there' }}", action: 'IGNORE' }),
    ),
    handled('handlers of handlers', '/s/missing', {
      type: 'CompositeErrorHandler',
      error_handlers: [
        answers({ http_codes: [403], action: 'FAIL' }),
        answers({ http_codes: [404], action: 'IGNORE' }),
      ],
    }),
    handled('a second try', '/s/busy', {
      type: 'DefaultErrorHandler',
      max_retries: 2,
      backoff_strategies: [{ type: 'ConstantBackoffStrategy', backoff_time_in_seconds: 0.1 }],
    }),
  ],
  fields: [
    changed('keys in snake case', { type: 'KeysToSnakeCase' }),
    changed('an object taken apart', { type: 'DpathFlattenFields', field_path: ['nested'] }),
    changed('keys replaced', { type: 'KeysReplace', old: 'kind', new: 'sort' }),
    changed('removed by a pattern', { type: 'RemoveFields', field_pointers: [['nested', '*']] }),
    changed('removed under a condition', {
      type: 'RemoveFields',
      field_pointers: [['kind']],
      condition: "{{ property == 'odd' }}",
    }),
  ],
  routers: [
    {
      name: 'two parents, each with each',
      stream: merged(
        { retriever: { partition_router: [below(parents('parents'), 'p'), below(parents('teams'), 't')] } },
        requester({ path: "/{{ stream_partition['p'] }}/{{ stream_partition['t'] }}/s" }),
      ),
      isAlone: true,
    },
    {
      name: 'a parent with a list of its own',
      stream: merged(
        {
          retriever: {
            partition_router: below(
              parents('parents', {
                partition_router: {
                  type: 'ListPartitionRouter',
                  cursor_field: 'kind',
                  values: ['a', 'b'],
                  request_option: {
                    type: 'RequestOption',
                    inject_into: 'request_parameter',
                    field_name: 'kind',
                  },
                },
              }),
              'p',
            ),
          },
        },
        requester({ path: "/parents/{{ stream_partition['p'] }}/s" }),
      ),
      isAlone: true,
    },
    {
      name: 'values of the parent of a parent',
      stream: merged(
        {
          retriever: {
            partition_router: below(
              parents('children', {
                partition_router: below(parents('parents'), 'p'),
                requester: { path: "/parents/{{ stream_slice['p'] }}/children" },
              }),
              'c',
              { parent_key: 'n' },
            ),
          },
        },
        requester({
          path: "/parents/{{ stream_slice.parent_slice.p }}/children/{{ stream_slice['c'] }}/s",
        }),
      ),
      isAlone: true,
    },
    {
      name: 'a parent that is filtered',
      stream: merged(
        {
          retriever: {
            partition_router: below(
              parents('parents', {
                record_selector: {
                  record_filter: { type: 'RecordFilter', condition: "{{ record.code == 'b' }}" },
                },
              }),
              'p',
            ),
          },
        },
        requester({ path: "/parents/{{ stream_partition['p'] }}/s" }),
      ),
      isAlone: true,
    },
    {
      name: 'a parent whose key is added',
      stream: merged(
        {
          retriever: {
            partition_router: below(
              parents(
                'parents',
                {},
                {
                  transformations: [
                    {
                      type: 'AddFields',
                      fields: [
                        { type: 'AddedFieldDefinition', path: ['key'], value: "{{ record['code'] }}" },
                      ],
                    },
                  ],
                },
              ),
              'p',
              { parent_key: 'key' },
            ),
          },
        },
        requester({ path: "/parents/{{ stream_partition['p'] }}/s" }),
      ),
      isAlone: true,
    },
    {
      name: 'a child with times',
      stream: merged(
        {
          incremental_sync: times({
            start_time_option: {
              type: 'RequestOption',
              inject_into: 'request_parameter',
              field_name: 'since',
            },
          }),
          retriever: { partition_router: below(parents('parents'), 'p') },
        },
        requester({ path: "/parents/{{ stream_partition['p'] }}/s" }),
      ),
      isAlone: true,
    },
    {
      name: 'a child with times and its parent in a parameter',
      stream: merged(
        {
          incremental_sync: times({
            start_time_option: {
              type: 'RequestOption',
              inject_into: 'request_parameter',
              field_name: 'since',
            },
          }),
          retriever: { partition_router: below(parents('parents'), 'p') },
        },
        requester({ request_parameters: { parent: "{{ stream_slice['p'] }}" } }),
      ),
      isAlone: true,
    },
    {
      name: 'a method of Jinja on a partition',
      stream: merged(
        { retriever: { partition_router: below(parents('parents'), 'p', { parent_key: 'code' }) } },
        requester({ path: "/parents/{{ stream_slice['p'] | upper }}/s" }),
      ),
      isAlone: true,
    },
  ],
  authenticators: [
    {
      name: 'one of several logins',
      stream: requester({
        authenticator: {
          type: 'SelectiveAuthenticator',
          authenticator_selection_path: ['auth', 'type'],
          authenticators: {
            key: { type: 'BearerAuthenticator', api_token: "{{ config['auth']['key'] }}" },
            basic: { type: 'BasicHttpAuthenticator', username: "{{ config['auth']['user'] }}", password: '' },
          },
        },
      }),
      config: { auth: { type: 'basic', user: 'me', key: 'k1' } },
      isAlone: true,
    },
    {
      name: 'a JWT',
      stream: requester({
        authenticator: {
          type: 'JwtAuthenticator',
          secret_key: "{{ config['secret'] }}",
          algorithm: 'HS256',
          jwt_payload: { iss: 'me' },
        },
      }),
      config: { secret: 's3cret-s3cret-s3cret-s3cret-s3cret' },
      isOfToday: true,
      isAlone: true,
    },
  ],
}
