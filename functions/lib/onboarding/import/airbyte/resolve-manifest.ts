import { UserError } from '#lib/errors/errors.ts'
import { valueAtKeys } from '#lib/extractor/values/select/json-path.ts'
import type { Json, JsonObject } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import type { Report } from '../report.ts'

/** References may lead in circles. */
const DEEPEST = 60

/** A component that is referred to twice by one that is referred to twice … */
const MOST_VALUES = 100_000

/**
 * A manifest with its references followed (`$ref`, and texts that begin with `#/`) and its `$parameters` handed down: each component gets those
 * that are named as one of its keys, where it has none of its own, and each type that follows from its place; texts get the values of `{{ parameters['x'] }}`.
 *
 * @throws UserError `extractor.draft` when the references make very much of little
 */
export const resolveManifest = (manifest: JsonObject, report: Report): JsonObject => {
  const follow = (reference: string, path: string): Json => {
    const found = valueAtKeys(reference.slice(2).split('/'), manifest)
    if (found === undefined) report.lost(path, `the reference ${reference} leads nowhere`)
    return found ?? {}
  }
  let values = 0
  const resolve = (
    value: Json,
    parameters: JsonObject,
    path: string,
    depth: number,
    place = 'DeclarativeSource.streams',
  ): Json => {
    if (depth > DEEPEST) return null
    if (++values > MOST_VALUES)
      throw new UserError(
        'extractor.draft',
        `The references of the manifest lead to more than ${MOST_VALUES} values, at ${path}.`,
      )
    if (typeof value === 'string')
      return value.startsWith('#/')
        ? resolve(follow(value, path), parameters, path, depth + 1, place)
        : filled(value, parameters)
    if (Array.isArray(value))
      return value.map((item, index) => resolve(item, parameters, `${path}.${index}`, depth + 1, place))
    if (!isObject(value)) return value
    const { $ref, $parameters, ...own } = value
    const base = typeof $ref === 'string' ? follow($ref, path) : {}
    const whole: JsonObject = { ...(isObject(base) ? base : {}), ...own }
    const inherited: JsonObject = {
      ...parameters,
      ...(isObject(base) && isObject(base['$parameters']) ? base['$parameters'] : {}),
      ...(isObject($parameters) ? $parameters : {}),
    }
    delete whole['$parameters']
    if (typeof whole['$ref'] === 'string')
      return resolve({ ...whole, $parameters: inherited }, {}, path, depth + 1, place)
    const type =
      typeof whole['type'] === 'string'
        ? whole['type']
        : isObject(whole['type'])
          ? ''
          : (typeByPlace[place] ?? '')
    if (type !== '') whole['type'] = type
    for (const key of keysByType[type] ?? [])
      if (isLacking(whole[key]) && inherited[key] !== undefined) whole[key] = inherited[key] ?? null
    return Object.fromEntries(
      Object.entries(whole).map(([key, inner]) => [
        key,
        // A list of records is data, and so is a schema: neither holds components
        key === 'schema_loader'
          ? inner
          : resolve(
              inner,
              isText(inner) ? inherited : withoutKey(inherited, key),
              path === '' ? key : `${path}.${key}`,
              depth + 1,
              `${type}.${key}`,
            ),
      ]),
    )
  }
  const resolved = Object.fromEntries(
    Object.entries(manifest).map(([key, value]) => [
      key,
      key === 'definitions' || key === 'spec'
        ? value
        : resolve(value, {}, key, 0, `DeclarativeSource.${key}`),
    ]),
  )
  return resolved
}

const isLacking = (value: Json | undefined): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)

const isText = (value: Json): boolean => typeof value === 'string' && !value.startsWith('#/')

/** A component in its own parameter would have no end. */
const withoutKey = (parameters: JsonObject, key: string): JsonObject => {
  const { [key]: _, ...others } = parameters
  return others
}

/** Parameters inside of templates as literals; a template that is nothing but one is its value. */
const filled = (text: string, parameters: JsonObject): Json => {
  const reference =
    /\bparameters(?:\[\s*['"](\w+)['"]\s*\]|\.get\(\s*['"](\w+)['"]\s*(?:,\s*([^()]*))?\)|\.(\w+))/g
  const given = (a?: string, b?: string, d?: string): Json | undefined => parameters[a ?? b ?? d ?? '']
  const [, inner] = /^\{\{\s*([^{}]*?)\s*\}\}$/.exec(text.trim()) ?? []
  const only = inner === undefined ? null : new RegExp(`^${reference.source}$`).exec(inner)
  const whole = only === null ? undefined : given(only[1], only[2], only[4])
  if (whole !== undefined) return typeof whole === 'string' ? filled(whole, {}) : whole
  return text.replace(/\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\}/g, template =>
    template.replace(reference, (_, a, b, other, d) =>
      JSON.stringify(given(a, b, d) ?? null) === 'null' ? (other ?? 'none') : JSON.stringify(given(a, b, d)),
    ),
  )
}

/**
 * Types that a component has by its place when it names none (the manifest language's YAML reference): the type of what holds it, a dot,
 * and its key.
 */
const typeByPlace: Readonly<Record<string, string>> = {
  'DeclarativeSource.streams': 'DeclarativeStream',
  'DeclarativeStream.retriever': 'SimpleRetriever',
  'SimpleRetriever.requester': 'HttpRequester',
  'SimpleRetriever.record_selector': 'RecordSelector',
  'SimpleRetriever.paginator': 'NoPagination',
  'RecordSelector.extractor': 'DpathExtractor',
  'RecordSelector.record_filter': 'RecordFilter',
  'HttpRequester.error_handler': 'DefaultErrorHandler',
  'CompositeErrorHandler.error_handlers': 'DefaultErrorHandler',
  'DefaultErrorHandler.response_filters': 'HttpResponseFilter',
  'DefaultPaginator.page_size_option': 'RequestOption',
  'DefaultPaginator.page_token_option': 'RequestOption',
  'DatetimeBasedCursor.start_datetime': 'MinMaxDatetime',
  'DatetimeBasedCursor.end_datetime': 'MinMaxDatetime',
  'DatetimeBasedCursor.start_time_option': 'RequestOption',
  'DatetimeBasedCursor.end_time_option': 'RequestOption',
  'ListPartitionRouter.request_option': 'RequestOption',
  'SubstreamPartitionRouter.parent_stream_configs': 'ParentStreamConfig',
  'ParentStreamConfig.request_option': 'RequestOption',
  'ParentStreamConfig.stream': 'DeclarativeStream',
  'AddFields.fields': 'AddedFieldDefinition',
}

/** Keys of components that `$parameters` of the same name give a value to. */
const keysByType: Readonly<Record<string, readonly string[]>> = {
  DeclarativeStream: ['name', 'primary_key', 'incremental_sync', 'transformations'],
  SimpleRetriever: ['requester', 'record_selector', 'paginator', 'partition_router', 'decoder'],
  HttpRequester: [
    ...['url_base', 'url', 'path', 'http_method', 'authenticator', 'error_handler', 'request_headers'],
    ...['request_parameters', 'request_body_json', 'request_body_data', 'request_body'],
  ],
  RecordSelector: ['extractor', 'record_filter'],
  RecordFilter: ['condition'],
  DpathExtractor: ['field_path'],
  DefaultPaginator: ['pagination_strategy', 'page_token_option', 'page_size_option'],
  PageIncrement: ['page_size', 'start_from_page', 'inject_on_first_request'],
  OffsetIncrement: ['page_size', 'inject_on_first_request'],
  CursorPagination: ['cursor_value', 'stop_condition', 'page_size'],
  RequestOption: ['field_name', 'field_path', 'inject_into'],
  DatetimeBasedCursor: [
    ...['cursor_field', 'datetime_format', 'start_datetime', 'end_datetime', 'step', 'lookback_window'],
    ...['cursor_granularity', 'cursor_datetime_formats', 'start_time_option', 'end_time_option'],
  ],
  ListPartitionRouter: ['values', 'cursor_field', 'request_option'],
  SubstreamPartitionRouter: ['parent_stream_configs'],
  ParentStreamConfig: ['stream', 'parent_key', 'partition_field', 'request_option'],
  BearerAuthenticator: ['api_token'],
  ApiKeyAuthenticator: ['api_token', 'header', 'inject_into'],
  BasicHttpAuthenticator: ['username', 'password'],
}
