import type { JsonObject } from '#lib/json/json-value.ts'
import { type Feature, type Groups, merged, requester } from './feature.ts'

const option = (inject_into: string, ...field: string[]): JsonObject => ({
  type: 'RequestOption',
  inject_into,
  ...(field.length === 1 ? { field_name: field[0] ?? '' } : { field_path: field }),
})
const inQuery = (name: string) => option('request_parameter', name)

const paging = (strategy: JsonObject, token: JsonObject, size?: JsonObject): JsonObject => ({
  retriever: {
    paginator: {
      type: 'DefaultPaginator',
      pagination_strategy: strategy,
      page_token_option: token,
      ...(size === undefined ? {} : { page_size_option: size }),
    },
  },
})
const numbered = (more: JsonObject = {}) => ({
  type: 'PageIncrement',
  start_from_page: 1,
  page_size: 2,
  ...more,
})
const offsets = (more: JsonObject = {}) => ({ type: 'OffsetIncrement', page_size: 2, ...more })
const cursor = (cursor_value: string, more: JsonObject = {}) => ({
  type: 'CursorPagination',
  cursor_value,
  ...more,
})
const post = (stream: JsonObject) => merged(requester({ http_method: 'POST' }), stream)

const next = '{{ response.next }}'
const more = "{{ not response['has_more'] }}"

const byCursor = (name: string, strategy: JsonObject, pages: Feature['pages'] = 'next'): Feature => ({
  name,
  pages,
  stream: paging(strategy, inQuery('after')),
})

/** Ways to the next page. */
export const ofPages: Groups = {
  pages: [
    {
      name: 'page number and size',
      pages: 'page',
      stream: paging(numbered(), inQuery('page'), inQuery('size')),
    },
    {
      name: 'page number from 0 without its size',
      pages: 'page',
      firstPage: 0,
      stream: paging(numbered({ start_from_page: 0 }), inQuery('page')),
    },
    {
      name: 'page number without a size at all',
      pages: 'page',
      stream: paging({ type: 'PageIncrement', start_from_page: 1 }, inQuery('page')),
    },
    {
      name: 'page number beside a limit of its own',
      pages: 'page',
      stream: merged(
        paging(numbered(), inQuery('page')),
        requester({ request_parameters: { limit: '100' } }),
      ),
    },
    {
      name: 'page number in the first request too',
      pages: 'page',
      stream: paging(numbered({ inject_on_first_request: true }), inQuery('page'), inQuery('size')),
    },
    {
      name: 'size of pages of a setting',
      pages: 'page',
      config: { page_size: 2 },
      stream: paging(numbered({ page_size: "{{ config['page_size'] }}" }), inQuery('page'), inQuery('size')),
    },
    {
      name: 'page number in a JSON body',
      pages: 'page',
      stream: post(paging(numbered(), option('body_json', 'page'), option('body_json', 'size'))),
    },
    {
      name: 'page number inside of a JSON body',
      pages: 'page',
      stream: post(
        paging(numbered(), option('body_json', 'paging', 'number'), option('body_json', 'paging', 'size')),
      ),
    },
    {
      name: 'page number in a form',
      pages: 'page',
      stream: post(paging(numbered(), option('body_data', 'page'), option('body_data', 'size'))),
    },
    {
      name: 'page number in the query of a POST',
      pages: 'page',
      stream: post(paging(numbered(), inQuery('page'), inQuery('size'))),
    },
    {
      name: 'offset and limit',
      pages: 'offset',
      stream: paging(offsets(), inQuery('offset'), inQuery('limit')),
    },
    {
      name: 'offset in the first request too',
      pages: 'offset',
      stream: paging(offsets({ inject_on_first_request: true }), inQuery('offset'), inQuery('limit')),
    },
    {
      name: 'offset without a size',
      pages: 'offset',
      stream: paging({ type: 'OffsetIncrement' }, inQuery('offset')),
    },
    byCursor('cursor of the answer', cursor(next)),
    byCursor('cursor with its stop', cursor(next, { stop_condition: '{{ response.next is none }}' })),
    byCursor('cursor with a stop of its own', cursor(next, { stop_condition: more })),
    byCursor('cursor by get', cursor("{{ response.get('next', '') }}")),
    byCursor(
      'cursor until a page is short',
      cursor(next, { page_size: 2, stop_condition: '{{ last_page_size < 2 }}' }),
    ),
    byCursor('cursor in a condition', cursor('{{ response.next if response.has_more else none }}')),
    byCursor('last record as cursor', cursor("{{ last_record['n'] }}", { stop_condition: more }), 'last'),
    byCursor(
      'last item of the answer as cursor',
      cursor("{{ response['data'][-1]['n'] }}", { stop_condition: more }),
      'last',
    ),
    {
      name: 'cursor in a header',
      pages: 'next',
      stream: paging(cursor(next), option('header', 'X-After')),
      isAlone: true,
    },
    {
      name: 'Link header',
      pages: 'link',
      stream: paging(
        cursor("{{ headers['link']['next']['url'] }}", {
          stop_condition: "{{ 'next' not in headers['link'] }}",
        }),
        { type: 'RequestPath' },
      ),
    },
    {
      name: 'whole address of the next page',
      pages: 'address',
      stream: paging(cursor('{{ response.next_url }}', { stop_condition: '{{ not response.next_url }}' }), {
        type: 'RequestPath',
      }),
    },
  ],
}
