import type { Json, JsonObject } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import { withValue } from '../airbyte/options.ts'
import type { ImportedStream, TimeCursor } from '../imported-source.ts'
import { bare, itemsAt } from '../json-path.ts'
import type { Report } from '../report.ts'
import { pagingOf } from './paginators.ts'

interface Given {
  resource: JsonObject
  defaults: JsonObject
  paginator: Json | undefined
  path: string
  report: Report
}

const readKeys = {
  resource: [
    'name',
    'table_name',
    'primary_key',
    'merge_key',
    'write_disposition',
    'endpoint',
    'include_from_parent',
    'selected',
    'parallelized',
  ],
  endpoint: [
    'path',
    'method',
    'params',
    'json',
    'data',
    'headers',
    'data_selector',
    'paginator',
    'incremental',
    'response_actions',
  ],
}

export const resourceOf = ({ resource: own, defaults, paginator, path, report }: Given): ImportedStream[] => {
  const resource: JsonObject = { ...defaults, ...own }
  const endpoint: JsonObject = merged(endpointOf(defaults['endpoint']), endpointOf(own['endpoint']))
  report.unread(resource, path, readKeys.resource)
  report.unread(endpoint, `${path}.endpoint`, readKeys.endpoint)
  const name = String(own['name'] ?? endpoint['path'] ?? path)
  const at = `${path}.endpoint`
  if (typeof resource['include_from_parent'] === 'object')
    report.lost(
      `${path}.include_from_parent`,
      'of a parent row the columns parent_… of placeholders are there',
    )
  if (resource['write_disposition'] === 'append')
    report.lost(`${path}.write_disposition`, 'rows are not appended: set "incrementalOutput" for all tables')

  const { parents, placeholders, address, resolve, time } = createReferences(endpoint, name, at, report)
  const body = endpoint['json'] ?? endpoint['data']
  const params = resolve(isObject(endpoint['params']) ? endpoint['params'] : {}, 'params')
  const sent =
    body === undefined ? undefined : resolve(body, endpoint['json'] === undefined ? 'data' : 'json')
  const headers = resolve(isObject(endpoint['headers']) ? endpoint['headers'] : {}, 'headers', 1)
  const isPost = String(endpoint['method'] ?? 'GET').toUpperCase() === 'POST'
  const selector = endpoint['data_selector']
  const pagination = pagingOf(
    endpoint['paginator'] ?? paginator,
    endpoint['paginator'] === undefined ? 'client.paginator' : `${at}.paginator`,
    report,
  )
  const [parent, ...others] = parents.keys()
  if (others.length > 0)
    report.lost(at, `only one parent is taken, "${parent}"; not ${others.join(', ')}`, 'rows')
  return [
    {
      name,
      ...(typeof resource['table_name'] === 'string' ? { table: resource['table_name'] } : {}),
      path,
      errorRules: actionsOf(endpoint['response_actions'], `${at}.response_actions`, report),
      endpoint: address.replace(/^\/+/, '') || './',
      ...requestOf(sent, isObject(params) ? params : {}, {
        kind: endpoint['data'] === undefined ? 'json' : 'form',
        isPost,
        inside: String(pagination?.['param'] ?? ''),
      }),
      headers: isObject(headers) ? headers : {},
      // Without a selector the rows are looked for, as here
      items: typeof selector === 'string' ? itemsAt(selector, `${at}.data_selector`, report) : undefined,
      primaryKey: [resource['primary_key'] ?? []].flat().map(String),
      pagination,
      incremental: incrementalOf(time()),
      ...(parent === undefined ? {} : { parent: { name: parent, placeholders } }),
    },
  ]
}

/** Nothing without a cursor. */
const incrementalOf = (time: TimeCursor | undefined): TimeCursor | undefined =>
  time === undefined || time.cursor === '' ? undefined : { ...time, isByRows: true }

interface Sent {
  kind: 'json' | 'form'
  isPost: boolean
  /** The parameter of the page: with a dot it is inside of the body. */
  inside: string
}

/** Beside a query, and with a cursor inside of it, a body is one of its own. */
const requestOf = (
  sent: Json | undefined,
  query: JsonObject,
  { kind, isPost, inside }: Sent,
): Pick<ImportedStream, 'method' | 'params' | 'body'> => {
  const isInside = isObject(sent) && inside.includes('.')
  if (!isObject(sent) || !(isInside || Object.keys(query).length > 0))
    return {
      method: isPost ? (kind === 'json' ? 'POST' : 'FORM') : 'GET',
      params: isObject(sent) ? sent : query,
    }
  return {
    method: 'GET',
    params: query,
    body: {
      [kind]: isInside ? withValue(sent, inside.split('.'), `{${inside}}`) : sent,
      ...(isPost ? {} : { method: 'GET' }),
    },
  }
}

/** What a resource refers to, rows of others and ends of windows: found on the way through its values. */
const createReferences = (endpoint: JsonObject, name: string, at: string, report: Report) => {
  const parents = new Map<string, string>()
  const placeholders: Record<string, string> = {}
  /** `{resources.posts.id}` */
  const noteParent = (resourceName: string, field: string): void => void parents.set(resourceName, field)
  const address = String(endpoint['path'] ?? name).replace(
    /\{resources\.([^.}]+)\.([^}]+)\}/g,
    (_match, of: string, field: string) => {
      noteParent(of, field)
      const key = field.replace(/\W+/g, '_')
      placeholders[key] = field
      return `{${key}}`
    },
  )
  let time: TimeCursor | undefined = isObject(endpoint['incremental'])
    ? timeOf(endpoint['incremental'], `${at}.incremental`, report)
    : undefined
  const resolve = (value: Json, key: string, depth = 0): Json | undefined => {
    if (Array.isArray(value))
      return value.map(item => resolve(item, key, depth + 1)).filter(item => item !== undefined)
    if (isObject(value) && value['type'] === 'resolve') {
      const field = String(value['field'])
      noteParent(String(value['resource']), field)
      if (!address.includes(`{${key}}`)) return { parent: field }
      placeholders[key] = field
      return undefined
    }
    if (isObject(value) && value['type'] === 'incremental') {
      time = { ...timeOf(value, `${at}.params.${key}`, report), param: key }
      return undefined
    }
    if (isObject(value))
      return Object.fromEntries(
        Object.entries(value)
          .map(([inner, one]): [string, Json | undefined] => [inner, resolve(one, inner, depth + 1)])
          .filter((pair): pair is [string, Json] => pair[1] !== undefined),
      )
    if (typeof value !== 'string') return value
    const reference = /^\{resources\.([^.}]+)\.([^}]+)\}$/.exec(value)
    if (reference !== null) {
      noteParent(reference[1] ?? '', reference[2] ?? '')
      return { parent: reference[2] ?? '' }
    }
    const bound = /^\{incremental\.(start_value|initial_value|last_value|end_value)\}$/.exec(value)
    if (bound !== null && depth > 1) {
      report.lost(`${at}.${key}`, `${value} in a header, or inside of an object`, 'rows')
      return undefined
    }
    if (bound !== null) {
      time = { cursor: '', ...time, [bound[1] === 'end_value' ? 'until' : 'param']: key }
      return undefined
    }
    if (/\{(resources|incremental)\./.test(value)) {
      report.lost(`${at}.${key}`, `the text ${value}: a reference has to stand alone`, 'rows')
      return undefined
    }
    return value
  }
  return { parents, placeholders, address, resolve, time: () => time }
}

const endpointOf = (given: Json | undefined): JsonObject =>
  isObject(given) ? given : typeof given === 'string' ? { path: given } : {}

/** Params of the defaults stay, those of the resource win. */
const merged = (defaults: JsonObject, own: JsonObject): JsonObject => {
  const params = {
    ...(isObject(defaults['params']) ? defaults['params'] : {}),
    ...(isObject(own['params']) ? own['params'] : {}),
  }
  return { ...defaults, ...own, ...(Object.keys(params).length === 0 ? {} : { params }) }
}

const timeOf = (given: JsonObject, path: string, report: Report): TimeCursor => {
  report.unread(given, path, [
    'type',
    'cursor_path',
    'initial_value',
    'end_value',
    'start_param',
    'end_param',
    'lag',
  ])
  const name = (key: string): string | undefined => (typeof given[key] === 'string' ? given[key] : undefined)
  const lag = Number(given['lag'])
  return {
    cursor: bare(String(given['cursor_path'] ?? '')),
    param: name('start_param'),
    until: name('end_param'),
    start: given['initial_value'] ?? undefined,
    end: given['end_value'] ?? undefined,
    lookback: lag > 0 ? `PT${lag}S` : undefined,
  }
}

const actionsOf = (given: Json | undefined, path: string, report: Report): JsonObject[] =>
  [given ?? []].flat().flatMap((one, index) => {
    const status = isObject(one) ? one['status_code'] : undefined
    const content = isObject(one) ? one['content'] : undefined
    const action = isObject(one) ? one['action'] : undefined
    if ((action !== 'ignore' && action !== 'raise') || (status === undefined && content === undefined)) {
      report.lost(`${path}.${index}`, 'only "ignore" and "raise" by status or content have a counterpart')
      return []
    }
    const rule: JsonObject = {
      when: {
        ...(status === undefined ? {} : { status }),
        ...(typeof content === 'string' ? { body: { contains: content } } : {}),
      },
      do: action === 'ignore' ? 'ignore' : 'fail',
    }
    return [rule]
  })
