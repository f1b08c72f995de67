import type { SinglePagination } from '#lib/extractor/config/pagination-schema.ts'
import { sentWindow } from '#lib/extractor/config/sent-window.ts'
import type { Expression } from '#lib/extractor/values/functions/expression/expression-tree.ts'
import { rowPath } from '#lib/extractor/values/select/row-path.ts'
import type { Json, JsonObject } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import { toDataField } from '../../detect/item-list.ts'
import type { ImportedStream } from '../imported-source.ts'
import { printExpression } from '../print-expression.ts'
import { member, written } from '../translate.ts'
import { pagingOf } from './paginators.ts'
import { type Partition, partitionsOf } from './partitions.ts'
import { requestOf } from './requests.ts'
import { keysOfStream, timeCursorOf, windowFields } from './time-cursor.ts'
import { addressOf, expressionOf, placeholderName, readText, type Scope } from './values.ts'

interface OpenScope extends Omit<Scope, 'partition'> {
  /** A stream that is read for all rows of this one, in each run. */
  wholeFor: string | undefined
}

const decoders: Readonly<Record<string, string>> = {
  JsonlDecoder: 'jsonl',
  CsvDecoder: 'csv',
  XmlDecoder: 'xml',
}

/** Their next request is the next address. */
const methodsByAddress: readonly SinglePagination['method'][] = ['header-link', 'response.url']

const readKeys = {
  stream: [
    'type',
    'name',
    'primary_key',
    'retriever',
    'incremental_sync',
    'transformations',
    'schema_loader',
    'schema_normalization',
  ],
  retriever: ['type', 'requester', 'record_selector', 'paginator', 'partition_router', 'decoder'],
  requester: [
    ...[
      'type',
      'url_base',
      'url',
      'path',
      'http_method',
      'request_parameters',
      'request_headers',
      'authenticator',
      'error_handler',
    ],
    ...['request_body', 'request_body_json', 'request_body_data', 'use_cache'],
  ],
  selector: ['type', 'extractor', 'record_filter', 'schema_normalization'],
}

/** Keys of these that say something and have no counterpart. What else there is no tool reads. */
const notRead = [
  ...['pagination_reset', 'page_size_reduction', 'request_window_splitting', 'query_properties'],
  ...['ignore_stream_slicer_parameters_on_paginated_requests', 'fetch_properties_from_endpoint'],
  'transform_before_filtering',
]

/** The jobs of a stream: one, or one for each value of a list. None, and reported, when it needs code. */
export const streamsOf = (
  stream: JsonObject,
  path: string,
  baseUrl: Json,
  { wholeFor, ...given }: OpenScope,
): ImportedStream[] => {
  const { report } = given
  const name = String(stream['name'] ?? path)
  const retriever = isObject(stream['retriever']) ? stream['retriever'] : {}
  const requester = isObject(retriever['requester']) ? retriever['requester'] : {}
  const at = `${path}.retriever.requester`
  if (
    stream['type'] !== 'DeclarativeStream' ||
    retriever['type'] !== 'SimpleRetriever' ||
    requester['type'] !== 'HttpRequester'
  ) {
    const kinds = [stream['type'], retriever['type'], requester['type']].map(String).join(', ')
    report.lost(path, `the stream "${name}" is made of ${kinds}: it is left out`, 'rows')
    return []
  }
  report.unread(stream, path, readKeys.stream, notRead)
  report.unread(retriever, `${path}.retriever`, readKeys.retriever, notRead)
  report.unread(requester, at, readKeys.requester, notRead)
  const open: Scope = { ...given, partition: new Map() }
  const partitions = partitionsOf(retriever['partition_router'], `${path}.retriever.partition_router`, open)
  const keys = keysOfStream(stream['primary_key'], `${path}.primary_key`, open)
  const cursor = stream['incremental_sync']
  const time = timeCursorOf(cursor, `${path}.incremental_sync`, open)
  const isWhole = time !== undefined && wholeFor !== undefined
  if (isWhole)
    report.lost(
      `${path}.incremental_sync`,
      `"${name}" is read whole in each run: "${wholeFor}" is read for all of its rows`,
    )
  // Without a key, rows that change have no place: all the time is asked for at once
  const hasWindows = keys.length > 0 && !isWhole
  const ends = windowFields(cursor, time?.cursor, hasWindows)
  return partitions.flatMap(({ fields, values, parent }, index): ImportedStream[] => {
    const scope: Scope = { ...open, partition: new Map([...fields, ...ends]) }
    const address = addressOf(requester, at, baseUrl, scope)
    if (address === undefined) return []
    const paging = pagingOf(retriever['paginator'], `${path}.retriever.paginator`, scope)
    const options = (time?.options ?? []).map((option, index) => ({ option, made: ends[index]?.[1] }))
    const request = requestOf(requester, at, scope, {
      values: [
        ...values,
        ...paging.values,
        ...options.flatMap(({ option, made }) =>
          option !== undefined && made !== undefined && 'made' in made
            ? [{ option, value: written(made.made) }]
            : [],
        ),
      ],
      named: [...paging.options, ...(hasWindows ? options.flatMap(({ option }) => option ?? []) : [])],
      isByAddress: methodsByAddress.some(method => method === paging.pagination?.['method']),
    })
    // A job that is not asked for windows has none: then a condition means all the time
    const isWindowed =
      hasWindows &&
      time !== undefined &&
      (time.cursor.isByRows === true ||
        sentWindow({ endpoint: address.endpoint, ...request }, time.cursor).start)
    const ofRows = isWindowed
      ? scope
      : { ...open, partition: new Map([...fields, ...windowFields(cursor, time?.cursor, false)]) }
    return [
      {
        name,
        ...(partitions.length > 1 ? { part: index + 1 } : {}),
        path,
        endpoint: address.endpoint,
        ...request,
        items: itemsOf(retriever['record_selector'], `${path}.retriever.record_selector`, scope),
        primaryKey: keys,
        pagination:
          paging.pagination?.['method'] === 'pagenum' && request.params['limit'] !== undefined
            ? { ...paging.pagination, limitParam: false }
            : paging.pagination,
        response: responseOf(retriever['decoder'], `${path}.retriever.decoder`, scope),
        incremental: isWhole ? undefined : time?.cursor,
        records: [
          ...filterOf(retriever['record_selector'], `${path}.retriever.record_selector`, ofRows),
          ...recordsOf(stream['transformations'], `${path}.transformations`, ofRows),
        ],
        ...(parent === undefined ? {} : { parent: parentOf(parent, address.placeholders) }),
      },
    ]
  })
}

/** One request for each parent row, whether the request names it or not. */
const parentOf = (
  { name, key, isDependent, filter }: NonNullable<Partition['parent']>,
  placeholders: JsonObject,
) => ({
  name,
  isDependent,
  placeholders: skipping({ [placeholderName(key)]: key, ...placeholders }, filter),
})

/** A parent row without the value has no requests, nor one that the filter of the parent leaves out. */
const skipping = (placeholders: JsonObject, filter: Expression | undefined): JsonObject =>
  Object.fromEntries(
    Object.entries(placeholders).map(([name, given]): [string, JsonObject] => {
      const { expr = 'placeholder.value', ...own } = isObject(given) ? given : { path: given }
      const isWorkedOut = filter !== undefined || expr !== 'placeholder.value'
      const made = filter === undefined ? expr : `(${String(expr)}) if (${printExpression(filter)}) else none`
      return [name, { ...own, ...(isWorkedOut ? { expr: made } : {}), missing: 'skip' }]
    }),
  )

/** Rows that a condition leaves out are left out here. */
const filterOf = (selector: Json | undefined, path: string, scope: Scope): JsonObject[] => {
  const filter = isObject(selector) ? selector['record_filter'] : undefined
  if (!isObject(filter)) return []
  const at = `${path}.record_filter`
  if (filter['type'] !== undefined && filter['type'] !== 'RecordFilter') {
    scope.report.lost(at, `a filter of the type ${String(filter['type'])}: all rows are in the table`, 'asks')
    return []
  }
  const read = readText(String(filter['condition'] ?? ''), `${at}.condition`, {
    ...scope,
    names: { record: 'row' },
  })
  return read === undefined || (read.kind === 'value' && read.value === true)
    ? []
    : [{ filter: { expr: printExpression(read) } }]
}

const itemsOf = (given: Json | undefined, path: string, scope: Scope): ImportedStream['items'] => {
  const { report } = scope
  if (!isObject(given)) return '.'
  report.unread(given, path, readKeys.selector, notRead)
  const extractor = isObject(given['extractor']) ? given['extractor'] : {}
  if (extractor['type'] !== 'DpathExtractor') {
    report.lost(
      `${path}.extractor`,
      `rows found by a ${String(extractor['type'])}: they are looked for in the answer`,
      'rows',
    )
    return undefined
  }
  const keys = [extractor['field_path'] ?? []]
    .flat()
    .map(key => expressionOf(key, `${path}.extractor.field_path`, scope, 'rows'))
  if (keys.some(key => typeof key !== 'string')) return undefined
  return keys.length === 0 ? '.' : toDataField(keys.map(String))
}

const responseOf = (given: Json | undefined, path: string, { report }: Scope): JsonObject | undefined => {
  if (!isObject(given) || given['type'] === 'JsonDecoder') return undefined
  // Packed answers are unpacked whatever the format
  if (/^(Gzip|Zipfile|CompositeRaw)Decoder$/.test(String(given['type'])))
    return (
      responseOf(given['decoder'] ?? given['parser'] ?? { type: 'JsonDecoder' }, path, {
        report,
      } as Scope) ?? { format: 'auto' }
    )
  const format =
    decoders[
      String(given['type'])
        .replace('Parser', 'Decoder')
        .replace('JsonLine', 'Jsonl')
        .replace('JsonlinesDecoder', 'JsonlDecoder')
    ]
  if (format === undefined) {
    report.lost(path, `a decoder of the type ${String(given['type'])}`, 'rows')
    return undefined
  }
  const delimiter = given['delimiter']
  return {
    format,
    ...(format === 'csv' && typeof delimiter === 'string' && delimiter.length === 1 ? { delimiter } : {}),
  }
}

/** `records` of a job for the transformations of a stream, in their order. What has no counterpart is reported. */
const recordsOf = (given: Json | undefined, path: string, scope: Scope): JsonObject[] =>
  [given ?? []]
    .flat()
    .filter(isObject)
    .flatMap((one, index) => {
      const at = `${path}.${index}`
      const type = String(one['type'])
      const condition = String(one['condition'] ?? '')
      if (type === 'AddFields') return additions(one['fields'], condition, at, scope)
      if (type === 'RemoveFields' && condition === '')
        return removal(one['field_pointers'], `${at}.field_pointers`, scope)
      scope.report.lost(
        at,
        `the transformation ${type}${condition === '' ? '' : ' under a condition'}: columns are as the API has them`,
      )
      return []
    })

/** A step for each field: it may read the one before. Where a condition is false the field stays as it was. */
const additions = (given: Json | undefined, condition: string, path: string, scope: Scope): JsonObject[] => {
  const ofRow = { ...scope, names: { record: 'row' } }
  const test = condition === '' ? undefined : readText(condition, `${path}.condition`, ofRow)
  if (condition !== '' && test === undefined) return []
  return [given ?? []]
    .flat()
    .filter(isObject)
    .flatMap((field, index) => {
      const at = `${path}.fields.${index}`
      const name = pathOf([field['path'] ?? []].flat(), at, scope)
      const value = name === undefined ? undefined : addedValue(field['value'] ?? '', test, name, at, ofRow)
      return name === undefined || value === undefined ? [] : [{ add: { [name]: value } }]
    })
}

const addedValue = (
  given: Json,
  test: Expression | undefined,
  name: string,
  path: string,
  scope: Scope,
): Json | undefined => {
  if (test === undefined) return expressionOf(given, path, scope)
  const yes =
    typeof given === 'string' ? readText(given, path, scope) : ({ kind: 'value', value: given } as const)
  return yes && written({ kind: 'if', test, yes, no: member('row', name.split('.')) })
}

const removal = (given: Json | undefined, path: string, scope: Scope): JsonObject[] => {
  const pointers = [given ?? []].flat().map(pointer => [pointer].flat())
  const remove = pointers.flatMap((keys, index) => pathOf(keys, `${path}.${index}`, scope) ?? [])
  return remove.length === 0 ? [] : [{ remove }]
}

const pathOf = (keys: readonly Json[], path: string, { report }: Scope): string | undefined => {
  const texts = keys.map(String)
  const found = texts.join('.')
  const isPlain = texts.every(key => !/[.*[\]]|\{\{/.test(key)) && rowPath(found) !== undefined
  if (!isPlain) report.lost(path, `the field ${texts.join(', ')}: a pattern, or no name that a path can have`)
  return isPlain ? found : undefined
}
