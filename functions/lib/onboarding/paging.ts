import type { Json } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import { findLink } from '../extractor/paging/next-address.ts'

/** A way to the next page that an answer points at, still to be proven. */
interface PagingGuess {
  pagination: { method: string; [key: string]: Json }
  why: string
  /** Parameters of the request that the pagination sends itself. */
  replaces: string[]
}

/** A request with its answer, as far as pages can be seen in them. */
export interface SeenAnswer {
  /** The query, or the members of the body. */
  params: Readonly<Record<string, Json>>
  method: 'GET' | 'POST'
  answer: Json
  items: readonly Json[]
  itemKeys: readonly string[]
  /** The header `Link`. */
  link: string
}

/** The surest of what the first answer says about the next page. */
export const guessPaging = (seen: SeenAnswer): PagingGuess | undefined => {
  const fields = answerFields(seen.answer, seen.itemKeys)
  return byLinkHeader(seen) ?? byNextAddress(fields) ?? byCursor(seen, fields) ?? byNumber(seen, fields)
}

/** Names without `_`, `-` and case. */
const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9[\]]/g, '')
const among = (names: string) => (name: string) => names.split(' ').includes(plain(name))

export const isOffsetName = among('offset skip from startat startindex start pageoffset page[offset]')
export const isPageName = among('page pagenumber pageno pagenum pageindex currentpage p page[number] pageid')
const isCursorName = among(
  'cursor after pagetoken nextpagetoken nexttoken nextcursor continuationtoken continuation scrollid bookmark marker startingafter page[after] page[cursor] aftercursor endcursor token pagecursor',
)
const isLimitName = among(
  'limit maxresults max perpage pagesize size take top count rows first pagelimit page[limit] page[size]',
)
/** Limits that go with a page number rather than with an offset. */
const isPageSizeName = among('perpage pagesize size page[size]')
const isTotalName = among('total totalcount totalresults totalitems totalrecords totalelements totalsize')
const isMoreName = among('hasmore hasnext hasnextpage more moreitems ismore')
const isLastName = among('last islast islastpage done finished')

/** A number of a page or a position, as a parameter has it; times since 1970 are larger. */
export const isPosition = (value: unknown): boolean =>
  /^\d{1,8}$/.test(typeof value === 'number' || typeof value === 'string' ? String(value) : '')

interface AnswerField {
  keys: string[]
  /** The last of `keys`. */
  name: string
  value: string | number | boolean
}

const DEEPEST = 4

/** The scalars of an answer beside its items, those near the root first. */
const answerFields = (answer: Json, itemKeys: readonly string[]): AnswerField[] => {
  const walk = (value: Json, keys: string[]): AnswerField[] => {
    if (keys.join('\0') === itemKeys.join('\0') && keys.length === itemKeys.length) return []
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      return [{ keys, name: keys.at(-1) ?? '', value }]
    if (!isObject(value) || keys.length >= DEEPEST) return []
    return Object.entries(value).flatMap(([key, inner]) => (key === '' ? [] : walk(inner, [...keys, key])))
  }
  return walk(answer, []).sort((a, b) => a.keys.length - b.keys.length)
}

/** A path as the keys of a pagination write it; `undefined` where a key has the delimiter in it. */
const pathOf = (keys: readonly string[]): string | undefined =>
  keys.some(key => key.includes('.')) ? undefined : keys.join('.')

const byLinkHeader = ({ link }: SeenAnswer): PagingGuess | undefined =>
  findLink(link, 'next') === undefined
    ? undefined
    : {
        pagination: { method: 'header-link' },
        why: 'The answer has a Link header with rel="next".',
        replaces: [],
      }

const nextKey = /next|forward/i

const byNextAddress = (fields: readonly AnswerField[]): PagingGuess | undefined => {
  const found = fields.find(
    ({ keys, value }) =>
      typeof value === 'string' &&
      keys.some(key => nextKey.test(key)) &&
      /^(https?:\/\/|\/[^/\s]|\?\w)\S*$/.test(value),
  )
  if (found === undefined) return undefined
  const path = pathOf(found.keys)
  const isQuery = String(found.value).startsWith('?')
  return {
    pagination: {
      method: 'response.url',
      urlKey: path ?? found.keys.join('/'),
      ...(path === undefined && { delimiter: '/' }),
      ...(isQuery && { paramIsQuery: true, includeParams: true }),
    },
    why: `"${found.keys.join('.')}" of the answer holds the ${isQuery ? 'query' : 'address'} of the next page.`,
    replaces: [],
  }
}

const cursorField =
  /^(next_?(page_?)?(token|cursor|marker|offset|start)?|(end|next|after)_?cursor|cursor|after|continuation(_?token)?|scroll_?id|bookmark|marker|token|pagination_?token|last_?evaluated_?key|starting_?after|next_?page_?(id|key))$/i

/** The parameter that carries a cursor, where it is not named as the field that gives it, without "next". */
const cursorParams: Readonly<Record<string, string>> = {
  endcursor: 'after',
  nextpagecursor: 'cursor',
  next: 'cursor',
  nexttoken: 'nextToken',
  scrollid: 'scroll_id',
  startingafter: 'starting_after',
}

const byCursor = ({ params, items }: SeenAnswer, fields: readonly AnswerField[]): PagingGuess | undefined => {
  const cursors = fields.filter(
    ({ keys, name, value }) =>
      items.length > 0 &&
      pathOf(keys) !== undefined &&
      cursorField.test(name) &&
      !keys.some(key => /prev|before|self|first/i.test(key)) &&
      typeof value !== 'boolean' &&
      !/^($|https?:\/\/|\/|\?)/.test(String(value)),
  )
  // Others, such as `cursors.after`, come with the one that says "next".
  const found = cursors.find(({ keys }) => keys.some(key => nextKey.test(key))) ?? cursors[0]
  if (found === undefined) return undefined
  const { keys, name, value } = found
  const isPage = typeof value === 'number' && /page/i.test(name)
  const bare = name.replace(/^next_?/i, '').replace(/^[A-Z](?=[a-z])/, first => first.toLowerCase())
  const param = isPage
    ? (Object.keys(params).find(isPageName) ?? 'page')
    : (Object.keys(params).find(isCursorName) ?? cursorParams[plain(name)] ?? bare)
  const cursorPath = keys.join('.')
  return {
    pagination: { method: 'json-cursor', param, cursorPath },
    why: `"${cursorPath}" of the answer is what the next request sends as "${param}".`,
    replaces: [param],
  }
}

/** Pages by offset or by number: as the request or the answer names them, else as it is usual. */
const byNumber = (seen: SeenAnswer, fields: readonly AnswerField[]): PagingGuess | undefined => {
  const { params, items, method } = seen
  const asked = Object.keys(params)
  const facts = factsOf(seen, fields)
  const offset = asked.find(name => isOffsetName(name) && isPosition(params[name]))
  if (offset !== undefined) return offsetGuess(facts, offset, `The request has the parameter "${offset}".`)
  const page = asked.find(name => isPageName(name) && isPosition(params[name]))
  if (page !== undefined)
    return pageGuess(facts, page, params[page], `The request has the parameter "${page}".`)

  const told = fields.find(({ name, value }) => isOffsetName(name) && value === 0)
  if (told !== undefined)
    return offsetGuess(facts, told.name, `"${told.keys.join('.')}" of the answer is an offset.`)
  const { limit, saysMore } = facts
  if (limit !== undefined && !isPageSizeName(limit.name))
    return offsetGuess(
      facts,
      limit.name.startsWith('$') ? '$skip' : 'offset',
      `The request has "${limit.name}", which usually goes with an offset.`,
    )
  // A POST that nothing asks for may change something
  if (items.length === 0 || (method === 'POST' && !saysMore && limit === undefined)) return undefined
  const why = saysMore
    ? 'The answer says that there is more, and not how to get it'
    : 'Nothing speaks of pages'
  const first = fields.find(({ name, value }) => isPageName(name) && (value === 0 || value === 1))?.value
  const name = limit?.name === 'page[size]' ? 'page[number]' : 'page'
  return pageGuess(facts, name, first, `${why}; a page number is the most usual way.`)
}

interface Facts {
  asked: Readonly<Record<string, Json>>
  count: number
  limit: { name: string; value: number } | undefined
  saysMore: boolean
  /** Stop rules that the answer allows. */
  stops: Record<string, Json>
}

const factsOf = ({ params, items }: SeenAnswer, fields: readonly AnswerField[]): Facts => {
  const limit = Object.entries(params).find(([name, given]) => isLimitName(name) && Number(given) > 0)
  const flags = fields.filter(({ value }) => typeof value === 'boolean')
  const more = flags.find(({ name }) => isMoreName(name))
  const flag = more ?? flags.find(({ name }) => isLastName(name))
  const sum = fields.find(
    ({ keys, name, value }) =>
      isTotalName(name) && Number(value) > items.length && pathOf(keys) !== undefined,
  )
  const isFlag = flag?.keys.length === 1
  return {
    asked: params,
    count: items.length,
    limit: limit && { name: limit[0], value: Number(limit[1]) },
    saysMore: sum !== undefined || (flag !== undefined && flag.value === (flag === more)),
    stops: {
      ...(isFlag && { nextPageFlag: { field: flag.name, stopOn: flag !== more } }),
      ...(sum && { limitStop: { field: sum.keys.join('.') } }),
    },
  }
}

/** A server may give fewer than it was asked for; then its own number is the size of a page. */
const sizeOf = ({ limit, count, saysMore }: Facts): number =>
  limit === undefined || (limit.value > count && saysMore) ? count : limit.value

const offsetGuess = (facts: Facts, offsetParam: string, why: string): PagingGuess => {
  const limitParam = facts.limit?.name ?? (offsetParam.startsWith('$') ? '$top' : 'limit')
  const isFirstPlain = facts.limit === undefined && { firstPageParams: false }
  const limit = Math.max(1, sizeOf(facts))
  return {
    pagination: { method: 'offset', limit, limitParam, offsetParam, ...isFirstPlain, ...facts.stops },
    why,
    replaces: [limitParam, offsetParam],
  }
}

const pageGuess = (facts: Facts, pageParam: string, first: Json | undefined, why: string): PagingGuess => {
  const { limit, count, asked, stops } = facts
  const size = sizeOf(facts)
  // Only a size that the server kept to shows by a shorter page which one is the last
  const sent = limit !== undefined && (size === count || limit.name === 'limit') ? limit.name : undefined
  return {
    pagination: {
      method: 'pagenum',
      pageParam,
      ...(Number(first ?? 1) === 0 && { firstPage: 0 }),
      ...(sent !== undefined && { limit: size, limitParam: sent }),
      ...(!Object.hasOwn(asked, pageParam) && sent === undefined && { firstPageParams: false }),
      ...stops,
    },
    why,
    replaces: [pageParam, ...(sent === undefined ? [] : [sent])],
  }
}
