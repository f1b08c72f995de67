import type { Json, JsonObject } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import type { Answer, ApiRequest } from '../../functions/lib/extractor/api-server.ts'
import { fieldsOf } from '../manifest-api.ts'
import { deepMerged, evaluated, pageEnd, put, ROWS, valueAt } from './pages-of-stream.ts'
import { PAGE } from './placed-manifest.ts'
import { rowsOfStream } from './rows-of-stream.ts'
import { inner, parentsOf, requesterOf } from './streams-of.ts'
import { withoutNow } from './without-now.ts'

const MOST_REQUESTS = 300

/** A server that answers as a stream and its parents demand: rows where they are looked for, pages as they are asked for. */
export const apiOfStream = (stream: JsonObject, config: JsonObject): Answer => {
  const parents = parentsOf(stream)
  const keys = parents.flatMap(parent => parent.keys)
  const all = [stream, ...parents.map(parent => parent.stream)].map(each => ({
    stream: each,
    path: addressOf(each),
  }))
  const tokens = new Map<string, number>()
  let requests = 0
  return (request, response) => {
    if (++requests > MOST_REQUESTS) {
      response.statusCode = 400
      return { error: 'far too many requests' }
    }
    if (isLogin(request, stream)) return loginAnswer(stream)
    const [found = all[0]] = all
      .filter(({ path }) => path.test(request.path))
      .toSorted(
        (a, b) => b.path.source.replaceAll('.*', '').length - a.path.source.replaceAll('.*', '').length,
      )
    return answerOf(found?.stream ?? stream, keys, config, request, tokens, response)
  }
}

const answerOf = (
  stream: JsonObject,
  keys: readonly string[],
  config: JsonObject,
  request: ApiRequest,
  tokens: Map<string, number>,
  response: Parameters<Answer>[1],
): Json | undefined => {
  const retriever = inner(stream, 'retriever')
  const paginator = inner(retriever, 'paginator')
  const strategy = inner(paginator, 'pagination_strategy')
  const option = optionOf(paginator['page_token_option'], config)
  const asked = option === undefined ? request.query.get('after') : option.read(request)
  const isPaged = paginator['type'] === 'DefaultPaginator'
  const from = !isPaged || asked === null || asked === undefined ? 0 : positionOf(strategy, asked, tokens)
  const size = optionOf(paginator['page_size_option'], config)
  const rows = rowsOfStream(stream, keys, seenOf(request, [option, size]), isPaged ? ROWS : PAGE).slice(
    from,
    isPaged ? from + PAGE : undefined,
  )
  const decoder = String(inner(retriever, 'decoder')['type'] ?? 'JsonDecoder')
  if (/Jsonl/.test(decoder)) {
    response.end(rows.map(row => `${JSON.stringify(row)}\n`).join(''))
    return undefined
  }
  const extractor = inner(inner(retriever, 'record_selector'), 'extractor')
  const path = [extractor['field_path'] ?? []].flat().map(key => String(evaluated(key, { config }) ?? key))
  const page = placed(rows, path)
  const address = withAfter(request, from + PAGE)
  const end = pageEnd(stream, config, isObject(page) ? page : {}, from, address)
  if (end === undefined) return page
  if (end.token !== undefined) tokens.set(String(end.token), from + PAGE)
  if (isPaged && from + PAGE < ROWS && /link/i.test(String(strategy['cursor_value'])))
    response.setHeader('link', `<${address}>; rel="next"`)
  if (isObject(page)) return deepMerged(page, end.body)
  return Object.keys(end.body).length === 0 ? page : { ...rows[0], ...end.body }
}

const positionOf = (strategy: JsonObject, asked: string, tokens: ReadonlyMap<string, number>): number => {
  if (strategy['type'] === 'PageIncrement')
    return Math.max(0, Number(asked) - Number(strategy['start_from_page'] ?? 0)) * PAGE || 0
  if (strategy['type'] === 'OffsetIncrement') return Number(asked) || 0
  return tokens.get(asked) ?? (Number(asked) || 0)
}

const placed = (rows: JsonObject[], path: readonly string[]): Json => {
  if (path.length === 0) return rows
  const star = path.indexOf('*')
  const body: JsonObject = {}
  if (star === -1) put(body, path, rows)
  else if (star === path.length - 1) put(body, path.slice(0, -1), rows)
  else {
    const each = rows.map((row): JsonObject => {
      const made: JsonObject = {}
      put(
        made,
        path.slice(star + 1).filter(key => key !== '*'),
        row,
      )
      return made
    })
    if (star === 0) return each
    put(body, path.slice(0, star), each)
  }
  return body
}

interface Option {
  keys: string[]
  read: (request: ApiRequest) => string | undefined
}

const optionOf = (given: Json | undefined, config: JsonObject): Option | undefined => {
  if (!isObject(given) || given['type'] === 'RequestPath' || given['inject_into'] === 'path') return undefined
  const keys = [given['field_path'] ?? given['field_name'] ?? []]
    .flat()
    .map(key => String(evaluated(key, { config }) ?? key))
  const place = given['inject_into']
  return {
    keys,
    read: request => {
      if (place === 'header') return String(request.headers[keys.join('.').toLowerCase()] ?? '') || undefined
      if (place === 'request_parameter') return request.query.get(keys.join('.')) ?? undefined
      const value = valueAt(fieldsOf(request.body), keys)
      return value === undefined || value === null ? undefined : String(value)
    },
  }
}

/** What a request asks for, its page left out. */
const seenOf = (request: ApiRequest, options: readonly (Option | undefined)[]): string => {
  const pages = new Set(['after', ...options.flatMap(option => option?.keys ?? [])])
  const query = [...request.query]
    .filter(([name, value]) => !pages.has(name) && value !== 'None')
    .map(pair => pair.join('='))
    .toSorted()
  const body = Object.entries(fieldsOf(request.body))
    .filter(([name]) => !pages.has(name))
    .map(pair => JSON.stringify(pair))
    .toSorted()
  return withoutNow(`${request.path}?${query}${body}`)
}

const withAfter = (request: ApiRequest, next: number): string => {
  const url = new URL(request.url, `http://${request.headers.host}`)
  url.searchParams.set('after', String(next))
  return String(url)
}

/** Paths that a requester asks for: what templates make of it is anything. */
const addressOf = (stream: JsonObject): RegExp => {
  const requester = requesterOf(stream)
  const base = String(requester['url_base'] ?? requester['url'] ?? '')
  const whole = `${base.replace(/\/+$/, '')}/${String(requester['path'] ?? '').replace(/^\/+/, '')}`
  const path = whole
    .replace(/^https?:\/\/[^/]*/, '')
    .replace(/\?.*$/, '')
    .replace(/\/$/, '')
  const parts = path.split(/\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\}/)
  return new RegExp(`^${parts.map(part => RegExp.escape(part)).join('.*')}/?$`)
}

const isLogin = (request: ApiRequest, stream: JsonObject): boolean => {
  const text = JSON.stringify(requesterOf(stream)['authenticator'] ?? '')
  const places = [...text.matchAll(/"(?:token_refresh_endpoint|login_url)":"([^"]*)"/g)].map(
    ([, address = '']) => address,
  )
  const login = /"login_requester":\{/.test(text)
    ? loginPath(requesterOf(stream)['authenticator'])
    : undefined
  const last = (address: string): string =>
    address
      .replace(/\?.*$/, '')
      .split('/')
      .at(-1)
      ?.replace(/\{\{.*\}\}/, '') ?? ''
  return [...places, ...(login === undefined ? [] : [login])].some(
    address => last(address) !== '' && request.path.endsWith(last(address)),
  )
}

const loginPath = (authenticator: Json | undefined): string | undefined => {
  if (!isObject(authenticator)) return undefined
  if (isObject(authenticator['login_requester']))
    return `/${String(authenticator['login_requester']['path'] ?? authenticator['login_requester']['url_base'] ?? '')}`
  return Object.values(authenticator)
    .filter(isObject)
    .map(loginPath)
    .find(path => path !== undefined)
}

const loginAnswer = (stream: JsonObject): JsonObject => {
  const answer: JsonObject = { access_token: 't1', token: 't1', expires_in: 3600, token_type: 'bearer' }
  const path = /"session_token_path":(\[[^\]]*\])/.exec(
    JSON.stringify(requesterOf(stream)['authenticator'] ?? ''),
  )?.[1]
  const named = /"access_token_name":"(\w+)"/.exec(
    JSON.stringify(requesterOf(stream)['authenticator'] ?? ''),
  )?.[1]
  if (path !== undefined) put(answer, JSON.parse(path), 't1')
  if (named !== undefined) answer[named] = 't1'
  return answer
}
