import { UserError } from '#lib/errors/errors.ts'
import { safeName } from '#lib/extractor/values/php/php-values.ts'
import { isContainer, type Json, type JsonObject } from '#lib/json/json-value.ts'
import type { Credentials } from './credentials.ts'
import type { KnownRequest } from './read-curl.ts'

/** A configuration as it grows. A key `__why` holds remarks: the extractor leaves keys alone that begin with `__`. */
export interface Draft {
  parameters: {
    api: JsonObject
    config: { outputBucket: string; jobs: [JsonObject]; [attribute: string]: Json }
  }
}

/** Beginnings of paths that belong to the API as a whole. */
const ofBase =
  /^(api|apis|rest|services|service|v\d+(\.\d+)*|\d{4}-\d\d(-\d\d)?|public|json|odata|data|latest|admin)$/i

/** The base address of an API and the endpoint of a request. */
const splitAddress = (url: URL): { baseUrl: string; endpoint: string } => {
  const segments = url.pathname.split('/').slice(1)
  let shared = 0
  while (shared < segments.length - 1 && ofBase.test(segments[shared] ?? '')) shared++
  if (segments[shared] === '' && shared > 0) shared--
  const endpoint = segments.slice(shared).join('/')
  const base = [url.origin, ...segments.slice(0, shared)].join('/')
  // Without a segment the endpoint is the root; a colon in the first one would be read as a scheme
  if (endpoint === '') return { baseUrl: `${url.origin}/`, endpoint: '/' }
  return { baseUrl: `${base}/`, endpoint: /^[^/]*:/.test(endpoint) ? url.href : endpoint }
}

/** A bucket named after the host: `api.shop.example.com` is `example`. */
const bucketOf = ({ hostname }: URL): string => {
  if (/^[\d.:[\]]+$/.test(hostname)) return 'api'
  const labels = hostname
    .split('.')
    .filter(label => !/^(www|api|rest|com|co|org|net|io|gov|ac)$/i.test(label))
  return safeName((labels.length > 1 ? labels.at(-2) : labels[0]) ?? 'api') || 'api'
}

/** A table named after the last word of an endpoint that is no number. */
const tableOf = (endpoint: string): string => {
  const words = endpoint.split(/[/?]/).filter(word => word !== '' && !/^\d+$|[{}:=]/.test(word))
  const last = words.findLast(word => !/^(list|search|query|all|index)(\.\w+)?$/i.test(word)) ?? words.at(-1)
  return safeName((last ?? '').replace(/\.(json|php|aspx?|csv|xml)$/i, '')) || 'items'
}

/** The configuration of one request: one job without pages. */
export const draftOf = (
  request: KnownRequest,
  { authentication, attributes, headers, query, body, why }: Credentials,
  bucket: string | undefined,
): Draft => {
  const { baseUrl, endpoint } = splitAddress(request.url)
  return {
    parameters: {
      api: {
        __why: [why],
        baseUrl,
        ...(authentication && { authentication }),
        ...(Object.keys(headers).length > 0 && { http: { headers } }),
      },
      config: {
        outputBucket: bucket ?? bucketOf(request.url),
        ...attributes,
        jobs: [
          {
            __why: [],
            endpoint: request.method === 'POST' ? endpointWith(endpoint, query) : endpoint,
            dataType: tableOf(endpoint),
            ...sent(request.method, query, body),
          },
        ],
      },
    },
  }
}

/** A POST has its params in the body, so a query stays in the endpoint. */
const endpointWith = (endpoint: string, query: Readonly<Record<string, Json>>): string => {
  const pairs = Object.entries(query).map(([name, value]) => {
    if (typeof value === 'string') return [name, value] as [string, string]
    throw new UserError(
      'extractor.draft',
      `The address of a POST can carry one secret only; "${name}" looks like a second one.`,
    )
  })
  return pairs.length === 0 ? endpoint : `${endpoint}?${new URLSearchParams(pairs)}`
}

const sent = (
  method: KnownRequest['method'],
  query: Record<string, Json>,
  body: KnownRequest['body'],
): JsonObject => {
  if (method === 'GET') return Object.keys(query).length === 0 ? {} : { params: query }
  if (body === undefined) return { method: 'POST' }
  return { method: body.kind === 'form' ? 'FORM' : 'POST', params: body.value }
}

/** The draft with these keys in its job. */
export const withJob = ({ parameters }: Draft, keys: JsonObject): Draft => {
  const [job] = parameters.config.jobs
  return { parameters: { ...parameters, config: { ...parameters.config, jobs: [{ ...job, ...keys }] } } }
}

/** The draft with a remark on its API, its pagination or its job. */
export const addWhy = (section: JsonObject, remark: string): void => {
  section['__why'] = [...((section['__why'] ?? []) as string[]), remark] // a draft holds texts there
}

/** All remarks with the section that they are about. */
export const remarksOf = (value: unknown, place = ''): [string, string][] => {
  if (!isContainer(value)) return []
  return Object.entries(value).flatMap(([key, inner]): [string, string][] => {
    if (key === '__why') return (inner as string[]).map(remark => [place, remark]) // a draft holds texts there
    return remarksOf(inner, place === '' ? key : `${place}.${key}`)
  })
}
