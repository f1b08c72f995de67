import type { Json, JsonObject } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import { bearerKey } from '../../bearer-key.ts'
import { Attributes } from '../attributes.ts'
import type { ImportedSource, ImportedStream } from '../imported-source.ts'
import { bare, itemsAt } from '../json-path.ts'
import type { Report } from '../report.ts'

const readKeys = [
  ...[
    'api_url',
    'streams',
    'path',
    'params',
    'headers',
    'records_path',
    'primary_keys',
    'replication_key',
    'start_date',
    'name',
  ],
  ...[
    'search_parameter',
    'auth_method',
    'api_keys',
    'username',
    'password',
    'bearer_token',
    'client_id',
    'client_secret',
    'refresh_token',
  ],
  ...[
    'grant_type',
    'scope',
    'access_token_url',
    'next_page_token_path',
    'pagination_request_style',
    'pagination_response_style',
  ],
  ...[
    'pagination_page_size',
    'pagination_next_page_param',
    'pagination_limit_per_page_param',
    'pagination_initial_offset',
  ],
]
/** What only looks at schemas, which are learnt here. */
const ofSchemas = [
  'num_inference_records',
  'num_inference_keys',
  'schema',
  'flattening_enabled',
  'flattening_max_depth',
]

/** Reads the settings of the Singer tap for REST APIs of Meltano (`tap-rest-api-msdk`). */
export const readSinger = (settings: JsonObject, path: string, report: Report): ImportedSource => {
  const attributes = new Attributes({})
  report.unread(settings, path, [...readKeys, ...ofSchemas])
  const streams = [settings['streams'] ?? []].flat().filter(isObject)
  const hidden = (fields: JsonObject): JsonObject =>
    Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [
        name,
        attributes.isSecret(name) ? attributes.hide(name, value) : value,
      ]),
    )
  return {
    baseUrl: String(settings['api_url'] ?? ''),
    authentication: authenticationOf(settings, path, attributes, report),
    attributes: attributes.values,
    headers: hidden(objectOf(settings['headers'])),
    retryConfig: {},
    streams: streams.map((stream, index): ImportedStream => {
      const at = `${path}.streams.${index}`
      report.unread(stream, at, [...readKeys, ...ofSchemas])
      const whole: JsonObject = { ...settings, ...stream }
      const paged = pagingOf(whole, at, report)
      const params = { ...objectOf(settings['params']), ...objectOf(stream['params']) }
      const cursor = whole['replication_key']
      const param = whole['search_parameter']
      if (typeof cursor === 'string' && typeof param !== 'string')
        report.lost(`${at}.replication_key`, 'no parameter asks for changes: all rows are read in each run')
      if (whole['search_prefix'] !== undefined)
        report.lost(`${at}.search_prefix`, 'a text in front of a time', 'rows')
      return {
        name: String(stream['name'] ?? `stream_${index}`),
        path: at,
        endpoint: String(whole['path'] ?? '').replace(/^\/+/, '') || './',
        method: 'GET',
        params: { ...params, ...paged.params },
        headers: hidden(objectOf(stream['headers'])),
        items:
          typeof whole['records_path'] === 'string'
            ? itemsAt(whole['records_path'], `${at}.records_path`, report)
            : '.',
        primaryKey: [whole['primary_keys'] ?? []].flat().map(String),
        pagination: paged.pagination,
        incremental:
          typeof cursor === 'string' && typeof param === 'string'
            ? { cursor: cursor.replaceAll('_', '.'), param, start: whole['start_date'] ?? undefined }
            : undefined,
      }
    }),
  }
}

/** Settings from environment variables are JSON texts. */
const objectOf = (given: Json | undefined): JsonObject => {
  if (isObject(given)) return given
  if (typeof given !== 'string' || !given.trim().startsWith('{')) return {}
  const parsed: unknown = JSON.parse(given)
  return isObject(parsed) ? parsed : {}
}

const authenticationOf = (
  settings: JsonObject,
  path: string,
  attributes: Attributes,
  report: Report,
): JsonObject | undefined => {
  const value = (key: string): Json => settings[key] ?? ''
  switch (settings['auth_method']) {
    case 'bearer_token':
      return bearerKey(attributes.hide('token', value('bearer_token')))
    case 'api_key': {
      const [[name, key] = ['', ''], ...others] = Object.entries(objectOf(settings['api_keys']))
      if (others.length > 0) report.lost(`${path}.api_keys`, `one key is sent, "${name}"`)
      return { type: 'apiKey', in: 'header', name, value: attributes.hide(name, key) }
    }
    case 'basic':
      attributes.values['username'] = value('username')
      attributes.values['#password'] = value('password')
      return { type: 'basic' }
    case 'oauth': {
      const grant = String(settings['grant_type'] ?? 'client_credentials')
      if (grant !== 'client_credentials' && grant !== 'refresh_token') {
        report.lost(`${path}.grant_type`, `the grant ${grant}`, 'rows')
        return undefined
      }
      attributes.values['client_id'] = value('client_id')
      return {
        type: 'oauth2',
        grant,
        tokenUrl: String(value('access_token_url')),
        clientId: { attr: 'client_id' },
        clientSecret: attributes.hide('client_secret', value('client_secret')),
        clientIn: 'body',
        ...(grant === 'refresh_token'
          ? { refreshToken: attributes.hide('refresh_token', value('refresh_token')) }
          : {}),
        ...(typeof settings['scope'] === 'string' ? { scope: settings['scope'] } : {}),
      }
    }
    case undefined:
    case null:
    case 'no_auth':
      return undefined
    default:
      report.lost(`${path}.auth_method`, `the method ${String(settings['auth_method'])}`, 'rows')
      return undefined
  }
}

const pagingOf = (
  settings: JsonObject,
  path: string,
  report: Report,
): { pagination: JsonObject | undefined; params: JsonObject } => {
  const style = String(settings['pagination_request_style'] ?? 'default')
  const size = Number(settings['pagination_page_size'] ?? 25)
  const limitParam = String(settings['pagination_limit_per_page_param'] ?? 'limit')
  const pageParam = settings['pagination_next_page_param']
  const sized = settings['pagination_page_size'] === undefined ? {} : { [limitParam]: size }
  const token = bare(String(settings['next_page_token_path'] ?? '$.next_page'))
  switch (style) {
    case 'single_page_paginator':
      return { pagination: undefined, params: {} }
    case 'header_link_paginator':
    case 'restapi_header_link_paginator':
      return {
        pagination: { method: 'header-link' },
        params:
          settings['pagination_page_size'] === undefined
            ? {}
            : { [String(settings['pagination_limit_per_page_param'] ?? 'per_page')]: size },
      }
    case 'offset_paginator':
    case 'style1':
      return {
        pagination: {
          method: 'offset',
          limit: size,
          limitParam,
          ...(typeof pageParam === 'string' ? { offsetParam: pageParam } : {}),
        },
        params: {},
      }
    case 'page_number_paginator':
      return {
        pagination: {
          method: 'pagenum',
          pageParam: typeof pageParam === 'string' ? pageParam : 'page',
          ...(/^\w+$/.test(bare(String(settings['next_page_token_path'] ?? 'hasMore')))
            ? {
                nextPageFlag: {
                  field: bare(String(settings['next_page_token_path'] ?? 'hasMore')),
                  stopOn: false,
                },
              }
            : {}),
        },
        params: sized,
      }
    case 'default':
    case 'jsonpath_paginator': {
      if (/[*?@`[]/.test(token)) {
        report.lost(`${path}.next_page_token_path`, `the path ${token}: only the first page is read`, 'rows')
        return { pagination: undefined, params: {} }
      }
      if (settings['pagination_response_style'] === 'hateoas_body')
        return { pagination: { method: 'response.url', urlKey: token }, params: sized }
      return {
        pagination: {
          method: 'json-cursor',
          param: typeof pageParam === 'string' ? pageParam : 'page',
          cursorPath: token,
        },
        params: sized,
      }
    }
    default:
      report.lost(
        `${path}.pagination_request_style`,
        `the style ${style}: only the first page is read`,
        'rows',
      )
      return { pagination: undefined, params: {} }
  }
}
