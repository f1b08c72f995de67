import { UserError } from '#lib/errors/errors.ts'
import type { HttpResponse } from '#lib/extractor/requests/answers/http-response.ts'
import { valueAtKeys } from '#lib/extractor/values/select/json-path.ts'
import type { Json, JsonObject } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import { parseJson } from '#lib/json/parse-json.ts'
import { findCredentials } from './credentials.ts'
import { addWhy, type Draft, draftOf, withJob } from './draft.ts'
import { findItemList, type ItemList, toDataField } from './item-list.ts'
import { guessPaging, isOffsetName, isPageName, isPosition, type SeenAnswer } from './paging.ts'
import type { KnownRequest } from './read-curl.ts'
import { runTrial, type TrialBounds } from './trial.ts'

interface DetectOptions {
  request: KnownRequest
  /** Remarks on what of the request was left out. */
  leftOut: readonly string[]
  bucket?: string | undefined
  folder: string
  bounds?: TrialBounds
}

interface Detection {
  draft: Draft
  /** The answer to the first request, for a preview. */
  first: HttpResponse
}

/**
 * Makes a configuration of a request that works: sends it once, looks at the answer, and sends one more request for the second
 * page.
 *
 * @throws UserError when the API refuses the request, or its answer is no JSON
 */
export const detectConfiguration = async (options: DetectOptions): Promise<Detection> => {
  const { bucket, folder, bounds } = options
  const remarks = [...options.leftOut]
  const request = beginAtStart(options.request, remarks)
  const credentials = findCredentials(request)
  if (credentials.dropped.length > 0)
    remarks.push(`Headers that browsers add: ${credentials.dropped.join(', ')}.`)
  const draft = draftOf(request, credentials, bucket)
  if (remarks.length > 0) addWhy(draft.parameters.api, `Left out: ${remarks.join(' ')}`)

  const looking = withJob(draft, { dataField: '.' })
  const { answers, error } = await runTrial({ draft: looking, folder, bounds, pages: 1 })
  const [first] = answers
  if (first === undefined || first.status >= 400)
    throw error ?? new UserError('extractor.draft', 'The API gave no answer.')
  const answer = parsed(first)
  if (answer === undefined)
    throw new UserError(
      'extractor.draft',
      'The answer is no JSON, so no configuration can be made of it by itself. CSV and JSON lines: docs/reference/extractor-responses.md.',
    )
  const list = findItemList(answer, request.url.pathname)
  if (list === undefined) {
    addWhy(looking.parameters.config.jobs[0], 'The answer holds no list: it is one row.')
    return { draft: looking, first }
  }
  const withItems = list.keys.length === 0 ? draft : withJob(draft, { dataField: toDataField(list.keys) })
  addWhy(withItems.parameters.config.jobs[0], itemsSentence(list))
  const seen: SeenAnswer = {
    params: paramsOf(request),
    method: request.method,
    answer,
    items: list.items,
    itemKeys: list.keys,
    link: [first.headers['link'] ?? []].flat().join(', '),
  }
  return { draft: await provePaging(withItems, seen, first, options), first }
}

/** Parameters that ask for a later page, whatever the API. Not all names of cursors: a `token` may be a key. */
const laterPage =
  /^(page_?token|next_?page_?token|(next_?)?cursor|scroll_?id|continuation_?token|marker|bookmark)$/i

/** The request for the first page: the command may have been copied on any page. */
const beginAtStart = (request: KnownRequest, remarks: string[]): KnownRequest => {
  const params = Object.entries(paramsOf(request)).flatMap(([name, value]): [string, Json][] => {
    if (laterPage.test(name) && value !== '') {
      remarks.push(`The parameter ${name}, which asks for a later page.`)
      return []
    }
    const start = isPageName(name) ? 1 : isOffsetName(name) ? 0 : undefined
    if (start === undefined || !isPosition(value) || Number(value) <= start) return [[name, value]]
    remarks.push(`${name}=${Number(value)}: the extraction begins at ${start}.`)
    return [[name, typeof value === 'number' ? start : String(start)]]
  })
  return withParams(request, Object.fromEntries(params))
}

/** What a page may change: the query, or the members of the body. */
const paramsOf = ({ method, query, body }: KnownRequest): Readonly<Record<string, Json>> => {
  if (method === 'GET') return query
  return body === undefined || Array.isArray(body.value) ? {} : body.value
}

const withParams = (request: KnownRequest, params: JsonObject): KnownRequest => {
  const { method, body } = request
  if (method === 'GET') return { ...request, query: params as Record<string, string> } // made of texts
  return body === undefined || Array.isArray(body.value)
    ? request
    : { ...request, body: { ...body, value: params } }
}

/** The draft with its pagination, when a second request proves it. */
const provePaging = async (
  draft: Draft,
  seen: SeenAnswer,
  first: HttpResponse,
  { folder, bounds }: DetectOptions,
): Promise<Draft> => {
  const guess = guessPaging(seen)
  if (guess === undefined) {
    addWhy(draft.parameters.api, 'Pagination: none. Nothing in the answer leads to another page.')
    return draft
  }
  const pagination: JsonObject = { __why: [guess.why], ...guess.pagination }
  const paged = withPaging(draft, pagination, guess.replaces)
  const { answers, error } = await runTrial({ draft: paged, folder, first, bounds, pages: 2 })
  const { isKept, why } = judgePaging(seen, answers[1], error)
  if (isKept) addWhy(pagination, why)
  else addWhy(draft.parameters.api, `Pagination: none. ${guess.why} ${why}`)
  return isKept ? paged : draft
}

const withPaging = (draft: Draft, pagination: JsonObject, replaces: readonly string[]): Draft => {
  const { api, config } = draft.parameters
  const [{ params, ...rest }] = config.jobs
  const kept = isObject(params)
    ? Object.fromEntries(Object.entries(params).filter(([name]) => !replaces.includes(name)))
    : params
  const isGone = kept === undefined || (isObject(kept) && Object.keys(kept).length === 0)
  return {
    parameters: {
      api: { ...api, pagination },
      config: { ...config, jobs: [isGone ? rest : { ...rest, params: kept }] },
    },
  }
}

const parsed = ({ body }: HttpResponse): Json | undefined => {
  try {
    return parseJson(body)
  } catch {
    return undefined
  }
}

const itemsSentence = ({ keys, items }: ItemList): string =>
  `${keys.length === 0 ? 'The answer is the list of rows' : `The rows are the list at "${keys.join('.')}"`}: ${items.length} in the first answer.`

/** What the second page says about a guess. There is none when the guess needed no second request. */
const judgePaging = (
  { items, itemKeys }: SeenAnswer,
  second: HttpResponse | undefined,
  error: UserError | undefined,
): { isKept: boolean; why: string } => {
  if (second === undefined && error === undefined)
    return { isKept: true, why: 'Not proven: by the first answer there is no second page.' }
  if (second === undefined || second.status >= 400)
    return {
      isKept: false,
      why: `The second request failed: ${second === undefined ? error?.message : `status ${second.status}.`}`,
    }
  const found = valueAtKeys(itemKeys, parsed(second))
  const rows = Array.isArray(found) ? found : []
  if (rows.length === 0)
    return { isKept: true, why: 'The second request brought no rows: the first page holds all of them.' }
  const known = new Set(items.map(item => JSON.stringify(item)))
  const shared = rows.filter(row => known.has(JSON.stringify(row))).length
  if (shared === rows.length)
    return {
      isKept: false,
      why: 'The second request brought the same rows, so the parameter changes nothing.',
    }
  const overlap = shared === 0 ? '' : `, and ${shared} that the first page has too`
  return { isKept: true, why: `Proven by a second request: ${rows.length - shared} other rows${overlap}.` }
}
