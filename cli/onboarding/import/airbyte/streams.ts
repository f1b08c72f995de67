import { isObject } from '#lib/extractor/php/php-values.ts'
import type { Json, JsonObject } from '#lib/extractor/tables/json-value.ts'
import { toDataField } from '../../detect/item-list.ts'
import type { ImportedStream } from '../imported-source.ts'
import { pagingOf } from './paginators.ts'
import { partitionsOf } from './partitions.ts'
import { bodyOf, keysOfStream, timeCursorOf, windowFields } from './time-cursor.ts'
import { recordsOf } from './transformations.ts'
import { endpointOf, expressionOf, expressionsOf, type Scope } from './values.ts'

type OpenScope = Omit<Scope, 'partition'>

const decoders: Readonly<Record<string, string>> = {
  JsonlDecoder: 'jsonl',
  CsvDecoder: 'csv',
  XmlDecoder: 'xml',
}

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

/** The jobs of a stream: one, or one for each value of a list. None, and reported, when it needs code. */
export const streamsOf = (
  stream: JsonObject,
  path: string,
  baseUrl: Json,
  open: OpenScope,
): ImportedStream[] => {
  const { report } = open
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
    report.lost(path, `the stream "${name}" is made of ${kinds}`)
    return []
  }
  report.unread(stream, path, readKeys.stream)
  report.unread(retriever, `${path}.retriever`, readKeys.retriever)
  report.unread(requester, at, readKeys.requester)
  const partitions = partitionsOf(retriever['partition_router'], `${path}.retriever.partition_router`, open)
  const keys = keysOfStream(stream['primary_key'], `${path}.primary_key`, open)
  const cursor = stream['incremental_sync']
  const time = timeCursorOf(cursor, `${path}.incremental_sync`, { ...open, partition: new Map() })
  const ends = windowFields(cursor, time, keys)
  return partitions.flatMap(({ fields, params: ofPartition, parent }, index): ImportedStream[] => {
    const scope: Scope = { ...open, partition: new Map([...fields, ...ends]) }
    const address = addressOf(requester, at, baseUrl, scope)
    if (address === undefined) return []
    const { pagination, params: ofPages } = pagingOf(
      retriever['paginator'],
      `${path}.retriever.paginator`,
      scope,
    )
    const query = expressionsOf(requester['request_parameters'] ?? {}, `${at}.request_parameters`, scope)
    const body = bodyOf(requester)
    const isPost = String(requester['http_method'] ?? 'GET').toUpperCase() === 'POST'
    const sent = body === undefined ? {} : expressionsOf(body.value, `${at}.${body.key}`, scope)
    if (isPost && body !== undefined && Object.keys(query).length > 0)
      report.lost(`${at}.request_parameters`, 'a POST has its parameters in the body')
    const headers = expressionsOf(requester['request_headers'] ?? {}, `${at}.request_headers`, scope)
    return [
      {
        name,
        ...(partitions.length > 1 ? { part: index + 1 } : {}),
        path,
        endpoint: address.endpoint,
        method: isPost ? (body?.isForm === true ? 'FORM' : 'POST') : 'GET',
        params: { ...(isPost && body !== undefined ? sent : query), ...ofPages, ...ofPartition },
        headers,
        items: itemsOf(retriever['record_selector'], `${path}.retriever.record_selector`, scope),
        primaryKey: keys,
        pagination,
        response: responseOf(retriever['decoder'], `${path}.retriever.decoder`, scope),
        incremental: time,
        records: recordsOf(stream['transformations'], `${path}.transformations`, scope),
        ...(parent === undefined ? {} : { parent: { name: parent, placeholders: address.placeholders } }),
      },
    ]
  })
}

/** The endpoint, whole where the stream has a base address of its own. */
const addressOf = (requester: JsonObject, path: string, baseUrl: Json, scope: Scope) => {
  const own = requester['url_base'] ?? requester['url'] ?? ''
  const given = String(requester['path'] ?? '')
  if (JSON.stringify(expressionOf(own, `${path}.url_base`, scope)) === JSON.stringify(baseUrl)) {
    const found = endpointOf(given, `${path}.path`, scope)
    return found && (found.endpoint === '' ? { ...found, endpoint: './' } : found)
  }
  return endpointOf(
    `${String(own).replace(/\/+$/, '')}/${given.replace(/^\/+/, '')}`.replace(/\/$/, ''),
    `${path}.url_base`,
    scope,
  )
}

const itemsOf = (given: Json | undefined, path: string, scope: Scope): ImportedStream['items'] => {
  const { report } = scope
  if (!isObject(given)) return '.'
  report.unread(given, path, readKeys.selector)
  if (given['record_filter'] !== undefined && given['record_filter'] !== null)
    report.lost(`${path}.record_filter`, 'rows are not filtered: all are in the table')
  const extractor = isObject(given['extractor']) ? given['extractor'] : {}
  if (extractor['type'] !== 'DpathExtractor') {
    report.lost(
      `${path}.extractor`,
      `rows found by a ${String(extractor['type'])}: they are looked for in the answer`,
    )
    return undefined
  }
  const keys = [extractor['field_path'] ?? []]
    .flat()
    .map(key => expressionOf(key, `${path}.extractor.field_path`, scope))
  if (keys.some(key => typeof key !== 'string')) return undefined
  const texts = keys.map(String)
  const star = texts.findIndex(key => key.includes('*'))
  if (star >= 0)
    report.lost(
      `${path}.extractor.field_path`,
      'the steps from "*" on: rows are the items of the list before it',
    )
  const fixed = star < 0 ? texts : texts.slice(0, star)
  return fixed.length === 0 ? '.' : toDataField(fixed)
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
    report.lost(path, `a decoder of the type ${String(given['type'])}`)
    return undefined
  }
  const delimiter = given['delimiter']
  return {
    format,
    ...(format === 'csv' && typeof delimiter === 'string' && delimiter.length === 1 ? { delimiter } : {}),
  }
}
