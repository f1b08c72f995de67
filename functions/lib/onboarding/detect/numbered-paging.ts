import type { Json } from '#lib/json/json-value.ts'
import { type AnswerField, pathOf } from './answer-fields.ts'
import { isPosition, type PagingGuess, type SeenAnswer } from './paging-guess.ts'
import {
  isLastName,
  isLimitName,
  isMoreName,
  isOffsetName,
  isPageName,
  isPageSizeName,
  isTotalName,
} from './paging-names.ts'

/** Pages by offset or by number: as the request or the answer names them, else as it is usual. */
export const numberedPaging = (seen: SeenAnswer, fields: readonly AnswerField[]): PagingGuess[] => {
  const { params, items } = seen
  if (items.length === 0) return []
  const asked = Object.keys(params)
  const facts = factsOf(seen, fields)
  const offset = asked.find(name => isOffsetName(name) && isPosition(params[name]))
  const page = asked.find(name => isPageName(name) && isPosition(params[name]))
  if (offset !== undefined) return [offsetGuess(facts, offset, `The request has the parameter "${offset}".`)]
  if (page !== undefined)
    return [pageGuess(facts, page, params[page], `The request has the parameter "${page}".`)]

  const told = fields.filter(({ value }) => typeof value === 'number')
  const pageField = told.find(({ name, value }) => isPageName(name) && Number(value) <= 1)
  const offsetField = told.find(({ name, value }) => isOffsetName(name) && value === 0)
  // Not what a page says of others: `count` without any sign of a next page is no reason to ask for one
  const limitNamed = asked.find(isLimitName)
  if (offsetField !== undefined && pageField === undefined)
    return [
      offsetGuess(facts, offsetField.name, `"${offsetField.keys.join('.')}" of the answer is an offset.`),
    ]
  if (pageField !== undefined)
    return [
      pageGuess(
        facts,
        limitNamed === 'page[size]'
          ? 'page[number]'
          : pageField.name.replace(/^current_?/i, '').replace(/^P/, 'p'),
        pageField.value,
        `"${pageField.keys.join('.')}" of the answer is a page number.`,
      ),
    ]
  if (limitNamed !== undefined && !isPageSizeName(limitNamed))
    return [
      offsetGuess(
        facts,
        limitNamed.startsWith('$') ? '$skip' : 'offset',
        `The request has "${limitNamed}", which usually goes with an offset.`,
      ),
    ]
  // A POST that nothing asks for may change something
  if (seen.method === 'POST' && !facts.saysMore && limitNamed === undefined) return []
  const why =
    limitNamed !== undefined
      ? `The request has "${limitNamed}", which usually goes with a page number.`
      : facts.saysMore
        ? 'The answer says that there is more, and not how to get it; a page number is the most usual way.'
        : 'Nothing in the answer speaks of pages; a page number is the most usual way.'
  const guess = pageGuess(facts, limitNamed === 'page[size]' ? 'page[number]' : 'page', undefined, why)
  return [limitNamed === undefined ? { ...guess, isHabit: true } : guess]
}

interface Facts {
  asked: Readonly<Record<string, Json>>
  count: number
  limit: { name: string; value: number } | undefined
  saysMore: boolean
  /** Stop rules that the answer allows. */
  stops: Record<string, Json>
}

const factsOf = ({ params, items, total }: SeenAnswer, fields: readonly AnswerField[]): Facts => {
  const [name, value] =
    Object.entries(params).find(([each, given]) => isLimitName(each) && Number(given) > 0) ?? []
  const more = fields.find(({ name: each, value: told }) => isMoreName(each) && typeof told === 'boolean')
  const last = fields.find(({ name: each, value: told }) => isLastName(each) && typeof told === 'boolean')
  const sum = fields.find(
    ({ name: each, value: told }) => isTotalName(each) && typeof told === 'number' && told > items.length,
  )
  const flag = [more, last].find(field => field?.keys.length === 1)
  const sumPath = sum && pathOf(sum.keys)
  return {
    asked: params,
    count: items.length,
    limit: name === undefined ? undefined : { name, value: Number(value) },
    saysMore:
      more?.value === true || last?.value === false || sum !== undefined || Number(total) > items.length,
    stops: {
      ...(flag === undefined ? {} : { nextPageFlag: { field: flag.name, stopOn: flag === last } }),
      ...(sumPath === undefined ? {} : { limitStop: { field: sumPath } }),
    },
  }
}

/** A server may give fewer than it was asked for; then its own number is the size of a page. */
const sizeOf = ({ limit, count, saysMore }: Facts): number =>
  limit === undefined || (limit.value > count && saysMore) ? count : limit.value

const offsetGuess = (facts: Facts, offsetParam: string, why: string): PagingGuess => {
  const limitParam = facts.limit?.name ?? (offsetParam.startsWith('$') ? '$top' : 'limit')
  return {
    pagination: {
      method: 'offset',
      limit: sizeOf(facts),
      limitParam,
      offsetParam,
      ...(facts.limit === undefined ? { firstPageParams: false } : {}),
      ...facts.stops,
    },
    why,
    replaces: [limitParam, offsetParam],
  }
}

const pageGuess = (facts: Facts, pageParam: string, first: Json | undefined, why: string): PagingGuess => {
  const { limit, count } = facts
  const size = sizeOf(facts)
  // Only a size that the server kept to shows by a shorter page which one is the last
  const hasLimit = limit !== undefined && (size === count || limit.name === 'limit')
  const isAsked = Object.hasOwn(facts.asked, pageParam)
  return {
    pagination: {
      method: 'pagenum',
      pageParam,
      ...(Number(first ?? 1) === 0 ? { firstPage: 0 } : {}),
      ...(hasLimit ? { limit: size, limitParam: limit.name } : {}),
      ...(isAsked || hasLimit ? {} : { firstPageParams: false }),
      ...facts.stops,
    },
    why,
    replaces: [pageParam, ...(hasLimit ? [limit.name] : [])],
  }
}
