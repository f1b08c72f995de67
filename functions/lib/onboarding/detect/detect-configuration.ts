import { UserError } from '#lib/errors/errors.ts'
import { firstHeader, type HttpResponse } from '#lib/extractor/requests/answers/http-response.ts'
import type { LogRecord } from '#lib/extractor/requests/masking/log.ts'
import { valueAtKeys } from '#lib/extractor/values/select/json-path.ts'
import type { Json, JsonObject } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import { parseJson } from '#lib/json/parse-json.ts'
import { findCredentials } from './credentials.ts'
import { describeRows } from './describe-rows.ts'
import { type Draft, draftOf, isGraphqlBody, withParams } from './draft.ts'
import { findItemList, type ItemList, toDataField } from './item-list.ts'
import type { KnownRequest } from './known-request.ts'
import { guessPaging } from './paging.ts'
import { isPosition, type PagingGuess, type SeenAnswer } from './paging-guess.ts'
import { isOffsetName, isPageName, plain } from './paging-names.ts'
import { runTrial, type TrialBounds } from './trial.ts'

interface DetectOptions {
  request: KnownRequest
  /** Keys of `api.http` and `api.retryConfig` that the request came with. */
  limits?: { connectTimeout?: number; requestTimeout?: number; maxRetries?: number }
  /** Remarks on what of the request was left out. */
  leftOut?: readonly string[]
  bucket?: string | undefined
  folder: string
  log?: (record: LogRecord) => void
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
 * @throws UserError when the API refuses the request, or its answer is of no known form
 */
export const detectConfiguration = async (options: DetectOptions): Promise<Detection> => {
  const { folder, log, bounds } = options
  const remarks = [...(options.leftOut ?? [])]
  const request = beginAtStart(options.request, remarks)
  const credentials = findCredentials(request)
  if (credentials.dropped.length > 0)
    remarks.push(`Headers that browsers add: ${credentials.dropped.join(', ')}.`)
  const isGraphql = isGraphqlBody(request.body)
  const draft = draftOf(request, credentials, { isGraphql, bucket: options.bucket })
  const { api } = draft.parameters
  if (remarks.length > 0) whyOf(api).push(`Left out: ${remarks.join(' ')}`)
  addLimits(api, options.limits ?? {})

  const job = draft.parameters.config.jobs[0] ?? {}
  const looking = withJob(draft, { ...job, dataField: '.' })
  const first = await firstAnswer({ draft: looking, folder, log, bounds })
  const answer = parsed(first)
  if (answer === undefined) {
    const { response, why } = plainFormat(first)
    return { draft: withJob(draft, { ...job, __why: [why], response }), first }
  }
  const list = findItemList(answer, request.url.pathname)
  if (list === undefined)
    return {
      draft: withJob(draft, { ...job, __why: ['The answer holds no list: it is one row.'], dataField: '.' }),
      first,
    }
  const withItems = withJob(draft, {
    ...job,
    __why: [itemsSentence(list)],
    ...(list.keys.length === 0 ? {} : { dataField: toDataField(list.keys) }),
  })
  const seen: SeenAnswer = {
    params: paramsOf(request),
    method: request.method,
    answer,
    items: list.items,
    itemKeys: list.keys,
    link: textOf(first.headers['link']),
    total: firstHeader(first.headers, 'x-total-count'),
    isGraphql,
  }
  const { draft: paged, items } = await provePaging(withItems, seen, first, options)
  return { draft: describeRows(paged, { ...seen, items }), first }
}

/** The request for the first page: the command may have been copied on any page. */
const beginAtStart = (request: KnownRequest, remarks: string[]): KnownRequest =>
  withParams(request, (name, value) => {
    const isCursor =
      /^(cursor|pagetoken|nextpagetoken|nextcursor|scrollid|continuationtoken|marker|bookmark|page\[(after|cursor)\])$/
    if (isCursor.test(plain(name)) && value !== '') {
      remarks.push(`The parameter ${name}, which asks for a later page.`)
      return undefined
    }
    const start = isPageName(name) ? 1 : isOffsetName(name) ? 0 : undefined
    if (start === undefined || !isPosition(value) || Number(value) <= start) return value
    remarks.push(`${name}=${Number(value)}: the extraction begins at ${start}.`)
    return typeof value === 'number' ? start : String(start)
  })

const firstAnswer = async (
  given: Pick<Parameters<typeof runTrial>[0], 'draft' | 'folder' | 'log' | 'bounds'>,
): Promise<HttpResponse> => {
  const { answers, error } = await runTrial({ ...given, requests: 1 })
  const [answer] = answers
  if (answer !== undefined && answer.status < 400) return answer
  throw error ?? new UserError('extractor.draft', 'The API gave no answer.')
}

const provePaging = async (
  draft: Draft,
  seen: SeenAnswer,
  first: HttpResponse,
  { folder, bounds }: DetectOptions,
): Promise<{ draft: Draft; items: Json[] }> => {
  const guesses = guessPaging(seen)
  const items = [...seen.items]
  const failed: string[] = []
  for (const [index, guess] of guesses.entries()) {
    const paged = withPaging(draft, guess)
    const { answers, error } = await runTrial({
      draft: forTwoPages(paged),
      folder,
      first,
      requests: 1,
      bounds,
    })
    const second = answers[1]
    const page =
      second === undefined
        ? error && { failure: error.message }
        : second.status >= 400
          ? { failure: `status ${second.status}.` }
          : itemsOf(parsed(second), seen.itemKeys)
    const { isKept, why } = judgePaging(seen.items, page)
    if (isKept)
      return { draft: withWhy(paged, why), items: Array.isArray(page) ? [...items, ...page] : items }
    failed.push(`${guess.why} ${why}`)
    // At most two requests
    const untried = guesses.slice(index + 1).map(({ pagination }) => pagination.method)
    if (second === undefined) continue
    if (untried.length > 0) failed.push(`Not tried: ${untried.join(', ')}.`)
    break
  }
  const why = failed.length > 0 ? failed : ['Nothing in the answer leads to another page.']
  whyOf(draft.parameters.api).push(`Pagination: none. ${why.join(' ')}`)
  return { draft, items }
}

const withPaging = (draft: Draft, { pagination, why, replaces }: PagingGuess): Draft => {
  const { api, config } = draft.parameters
  const job = config.jobs[0] ?? {}
  const { params, ...rest } = job
  const kept = isObject(params)
    ? Object.fromEntries(Object.entries(params).filter(([name]) => !replaces.includes(name)))
    : params
  const isGone = kept === undefined || (isObject(kept) && Object.keys(kept).length === 0)
  return {
    parameters: {
      api: { ...api, pagination: { __why: [why], ...pagination } },
      config: { ...config, jobs: [isGone ? rest : { ...rest, params: kept }] },
    },
  }
}

const forTwoPages = (draft: Draft): Draft => {
  const { api, config } = draft.parameters
  const pagination = { ...(api['pagination'] as JsonObject), forceStop: { pages: 2 } } // `withPaging` has set it
  return { parameters: { api: { ...api, pagination }, config } }
}

const withWhy = (draft: Draft, sentence: string): Draft => {
  whyOf(draft.parameters.api['pagination'] as JsonObject).push(sentence) // `withPaging` has set it
  return draft
}

const withJob = (draft: Draft, job: JsonObject): Draft => ({
  parameters: { ...draft.parameters, config: { ...draft.parameters.config, jobs: [job] } },
})

const whyOf = (section: JsonObject): Json[] => section['__why'] as Json[] // each section of a draft has it

const addLimits = (
  api: JsonObject,
  { maxRetries, ...timeouts }: NonNullable<DetectOptions['limits']>,
): void => {
  if (Object.keys(timeouts).length > 0)
    api['http'] = { ...(api['http'] as JsonObject | undefined), ...timeouts }
  if (maxRetries !== undefined) api['retryConfig'] = { maxRetries }
}

const paramsOf = ({ query, body, method }: KnownRequest): Record<string, Json> => {
  if (method === 'GET') return query
  if (body === undefined) return {}
  return body.kind === 'form' ? body.fields : Array.isArray(body.value) ? {} : body.value
}

const parsed = ({ body }: HttpResponse): Json | undefined => {
  try {
    return parseJson(body)
  } catch {
    return undefined
  }
}

const itemsOf = (answer: Json | undefined, keys: readonly string[]): Json[] => {
  const found = valueAtKeys(keys, answer)
  return Array.isArray(found) ? found : []
}

const textOf = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header.join(', ') : header

const itemsSentence = ({ keys, items }: ItemList): string =>
  `${keys.length === 0 ? 'The answer is the list of rows' : `The rows are the list at "${keys.join('.')}"`}: ${items.length} in the first answer.`

interface Verdict {
  isKept: boolean
  why: string
}

/** What the second page says about a guess. `undefined`: there was none, since the guess needed no second request. */
const judgePaging = (
  first: readonly Json[],
  second: readonly Json[] | { failure: string } | undefined,
): Verdict => {
  if (second === undefined)
    return { isKept: true, why: 'Not proven: by the first answer there is no second page.' }
  if ('failure' in second) return { isKept: false, why: `The second request failed: ${second.failure}` }
  if (second.length === 0)
    return { isKept: true, why: 'The second request brought no rows: the first page holds all of them.' }
  const known = new Set(first.map(item => JSON.stringify(item)))
  const shared = second.filter(item => known.has(JSON.stringify(item))).length
  if (shared === second.length)
    return {
      isKept: false,
      why: 'The second request brought the same rows, so the parameter changes nothing.',
    }
  const others = second.length - shared
  const overlap = shared === 0 ? '' : `, and ${shared} that the first page has too`
  return { isKept: true, why: `Proven by a second request: ${others} other rows${overlap}.` }
}

/**
 * `response` of a job for an answer that is no JSON.
 *
 * @throws UserError `extractor.draft` for one that has to be described by hand
 */
const plainFormat = ({ headers, body }: HttpResponse): { response: JsonObject; why: string } => {
  const type = firstHeader(headers, 'content-type') ?? ''
  const text = body.subarray(0, 4096).toString('utf8').trimStart()
  const firstLine = text.split('\n')[0] ?? ''
  if (/ndjson|jsonl|json-?lines|json-seq/i.test(type) || isJson(firstLine))
    return { response: { format: 'jsonl' }, why: 'The answer has a JSON value on each line.' }
  if (/\bcsv\b|tab-separated/i.test(type)) {
    const delimiter = [',', ';', '\t', '|'].reduce((best, each) =>
      firstLine.split(each).length > firstLine.split(best).length ? each : best,
    )
    return {
      response: { format: 'csv', ...(delimiter === ',' ? {} : { delimiter }) },
      why: 'The answer is CSV by its Content-Type; its first line names the columns.',
    }
  }
  const form = text.startsWith('<') ? (/^<(!doctype )?html/i.test(text) ? 'a web page' : 'XML') : 'no JSON'
  throw new UserError(
    'extractor.draft',
    `The answer is ${form}${type === '' ? '' : ` (${type})`}, of which no configuration can be made by itself. ` +
      'XML and archives: docs/reference/extractor-responses.md.',
  )
}

const isJson = (line: string): boolean => {
  try {
    return typeof JSON.parse(line) === 'object'
  } catch {
    return false
  }
}
