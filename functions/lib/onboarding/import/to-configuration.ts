import { safeName } from '#lib/extractor/values/php/safe-name.ts'
import type { Json, JsonObject } from '#lib/json/json-value.ts'
import { type Draft, tableOf } from '../detect/draft.ts'
import type { ImportedSource, ImportedStream } from './imported-source.ts'
import { incrementalOf } from './incremental.ts'
import type { Report } from './report.ts'

/**
 * Our configuration of a foreign one: a job for each stream, child jobs below the job of their parent.
  Nothing when no stream is left.
 */
export const toConfiguration = (
  source: ImportedSource,
  bucket: string,
  report: Report,
): Draft | undefined => {
  const placed = placeStreams(source.streams, report)
  if (placed.length === 0) return undefined
  const { pagination, scrollerOf } = paginationsOf(source.streams)
  const isEvaluated = source.streams.some(
    ({ headers, params, body, records, parent }) =>
      (parent !== undefined && readsParent([params, body ?? null, records ?? []])) || hasExpression(headers),
  )
  const errorRules = sharedBy(source.streams, ({ errorRules = [] }) => errorRules)
  const jobOf = ({ stream, id, children }: Placed): JsonObject => {
    const scroller = scrollerOf(stream)
    const incremental =
      stream.incremental && incrementalOf(stream, stream.incremental, `${stream.path}.incremental`, report)
    const placeholders = stream.parent?.placeholders ?? {}
    return {
      id,
      endpoint: stream.endpoint,
      dataType: safeName(stream.table ?? stream.name) || tableOf(stream.endpoint),
      ...(stream.method === 'GET' ? {} : { method: stream.method }),
      ...(stream.body === undefined ? {} : { body: stream.body }),
      ...(stream.items === undefined ? {} : { dataField: stream.items }),
      ...(scroller === undefined ? {} : { scroller }),
      ...some('params', isEncoded(stream) ? withTexts(stream.params) : stream.params),
      ...some('headers', stream.headers),
      ...(stream.authentication === undefined ? {} : { authentication: stream.authentication }),
      ...(errorRules !== undefined || !stream.errorRules?.length ? {} : { errorRules: stream.errorRules }),
      ...some('placeholders', placeholders),
      ...(stream.response === undefined ? {} : { response: stream.response }),
      ...(stream.primaryKey.length === 0 ? {} : { primaryKey: stream.primaryKey }),
      ...(incremental === undefined ? {} : { incremental }),
      ...(stream.records === undefined || stream.records.length === 0 ? {} : { records: stream.records }),
      ...(children.length === 0 ? {} : { children: children.map(jobOf) }),
    }
  }
  const http = {
    ...some('headers', source.headers),
    ...source.limits,
    ...(errorRules?.length ? { errorRules } : {}),
    ...(isEvaluated ? { evaluate: true } : {}),
    ...(source.streams.some(stream => hasList(stream)) ? { lists: 'repeat' } : {}),
  }
  return {
    parameters: {
      api: {
        baseUrl: withSlash(source.baseUrl),
        ...(source.authentication === undefined ? {} : { authentication: source.authentication }),
        ...(pagination === undefined ? {} : { pagination }),
        ...some('retryConfig', source.retryConfig),
        ...some('http', http),
      },
      config: { outputBucket: bucket, ...source.attributes, jobs: placed.map(jobOf) },
    },
  }
}

/** What all streams have alike. */
const sharedBy = <T>(
  streams: readonly ImportedStream[],
  of: (stream: ImportedStream) => T,
): T | undefined => {
  const [first, ...others] = streams.map(of)
  return others.every(other => JSON.stringify(other) === JSON.stringify(first)) ? first : undefined
}

const some = (key: string, fields: JsonObject): JsonObject =>
  Object.keys(fields).length === 0 ? {} : { [key]: fields }

/** Endpoints are relative to the folder of the base address. */
const withSlash = (baseUrl: Json): Json => {
  if (typeof baseUrl === 'string') return `${baseUrl.replace(/\/+$/, '')}/`
  return { function: 'concat', args: [baseUrl, '/'] }
}

interface Placed {
  stream: ImportedStream
  id: string
  children: Placed[]
}

/** A stream of several parts has its children below each of them. */
const placeStreams = (streams: readonly ImportedStream[], report: Report): Placed[] => {
  const placed = new Set<ImportedStream>()
  const place = (stream: ImportedStream, above: readonly ImportedStream[]): Placed => {
    placed.add(stream)
    const line = [...above, stream]
    const parts = line.flatMap(({ part }) => part ?? [])
    const below = streams.filter(child => child.parent?.name === stream.name && !line.includes(child))
    return {
      stream,
      id: [stream.name, ...parts].join('_'),
      children: below.map(child => place(child, line)),
    }
  }
  const top = streams.filter(({ parent }) => parent === undefined).map(stream => place(stream, []))
  for (const stream of streams)
    if (!placed.has(stream))
      report.lost(
        stream.path,
        `its parent stream "${stream.parent?.name}" is not there, or has itself for a parent: it is left out`,
        'rows',
      )
  return top
}

/** One pagination for all streams, or several by the names of their methods. */
const paginationsOf = (streams: readonly ImportedStream[]) => {
  const kinds = new Map<string, { name: string; pagination: JsonObject }>()
  for (const { pagination } of streams) {
    const text = JSON.stringify(pagination)
    if (pagination === undefined || kinds.has(text)) continue
    const method = String(pagination['method'])
    const same = [...kinds.values()].filter(({ name }) => name.startsWith(method)).length
    kinds.set(text, { name: same === 0 ? method : `${method}-${same + 1}`, pagination })
  }
  const [only, ...others] = [...kinds.values()]
  const isForAll = others.length === 0 && streams.every(({ pagination }) => pagination !== undefined)
  const scrollers: JsonObject = Object.fromEntries(
    [...kinds.values()].map(({ name, pagination }) => [name, pagination]),
  )
  return {
    pagination:
      only === undefined ? undefined : isForAll ? only.pagination : { method: 'multiple', scrollers },
    scrollerOf: ({ pagination }: ImportedStream): string | undefined =>
      isForAll || pagination === undefined ? undefined : kinds.get(JSON.stringify(pagination))?.name,
  }
}

const readsParent = (value: Json): boolean =>
  typeof value === 'object' &&
  value !== null &&
  ('parent' in value ||
    ('expr' in value && /\bparent\d*\b/.test(String(value['expr']))) ||
    Object.values(value).some(inner => readsParent(inner as Json))) // parsed JSON

/** Params go into a query or a form. */
const isEncoded = ({ method, body }: ImportedStream): boolean => method !== 'POST' || body !== undefined

/** Tools of Python repeat the name. */
const hasList = (stream: ImportedStream): boolean =>
  isEncoded(stream) && Object.values(stream.params).some(Array.isArray)

/** And they write truth as its text. */
const withTexts = (params: JsonObject): JsonObject => {
  const asText = (value: Json): Json =>
    Array.isArray(value) ? value.map(asText) : value === true ? 'True' : value === false ? 'False' : value
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, asText(value)]))
}

const hasExpression = (headers: JsonObject): boolean =>
  Object.values(headers).some(value => typeof value === 'object' && value !== null)
