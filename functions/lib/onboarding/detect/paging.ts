import { findLink } from '#lib/extractor/paging/header-link.ts'
import type { Json } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import { type AnswerField, answerFields, pathOf } from './answer-fields.ts'
import { numberedPaging } from './numbered-paging.ts'
import type { PagingGuess, SeenAnswer } from './paging-guess.ts'
import { cursorParams, isAfterIdName, isCursorName, isPageName, plain } from './paging-names.ts'

/** What the first answer says about the next page, the surest guess first. */
export const guessPaging = (seen: SeenAnswer): PagingGuess[] => {
  const fields = answerFields(seen.answer, seen.itemKeys)
  return [
    ...byLinkHeader(seen),
    ...(seen.isGraphql ? byPageInfo(seen) : []),
    ...byNextAddress(fields),
    ...byCursor(seen, fields),
    ...byLastId(seen),
    ...numberedPaging(seen, fields),
  ]
}

const byLinkHeader = ({ link }: SeenAnswer): PagingGuess[] =>
  findLink(link ?? '', 'next') === undefined
    ? []
    : [
        {
          pagination: { method: 'header-link' },
          why: 'The answer has a Link header with rel="next".',
          replaces: [],
        },
      ]

const byPageInfo = ({ answer }: SeenAnswer): PagingGuess[] => {
  const text = JSON.stringify(answer)
  return text.includes('"pageInfo"')
    ? [{ pagination: { method: 'graphql' }, why: 'The answer has "pageInfo".', replaces: [] }]
    : []
}

const nextKey = /next|forward/i

const byNextAddress = (fields: readonly AnswerField[]): PagingGuess[] => {
  const found = fields.filter(
    ({ keys, value }) =>
      typeof value === 'string' &&
      keys.some(key => nextKey.test(key)) &&
      /^(https?:\/\/|\/[^/\s]|\?\w)/.test(value) &&
      !/\s/.test(value),
  )
  return found.map(({ keys, value }) => {
    const path = pathOf(keys)
    const isQuery = String(value).startsWith('?')
    return {
      pagination: {
        method: 'response.url',
        urlKey: path ?? keys.join('/'),
        ...(path === undefined ? { delimiter: '/' } : {}),
        ...(isQuery ? { paramIsQuery: true, includeParams: true } : {}),
      },
      why: `"${keys.join('.')}" of the answer holds the ${isQuery ? 'query' : 'address'} of the next page.`,
      replaces: [],
    }
  })
}

const cursorField =
  /^(next_?(page_?)?(token|cursor|marker|offset|start)?|(end|next|after)_?cursor|cursor|after|continuation(_?token)?|scroll_?id|bookmark|marker|next_?marker|token|pagination_?token|last_?evaluated_?key|starting_?after|next_?page_?(id|key))$/i

const byCursor = ({ params, items }: SeenAnswer, fields: readonly AnswerField[]): PagingGuess[] => {
  const asked = Object.keys(params).find(isCursorName)
  const found = fields
    .filter(
      ({ keys, name, value }) =>
        cursorField.test(name) &&
        !keys.some(key => /prev|before|self|first/i.test(key)) &&
        typeof value !== 'boolean' &&
        value !== '' &&
        !/^(https?:\/\/|\/|\?)/.test(String(value)),
    )
    // `cursors.before` and the like come with it: what says "next" counts more
    .sort(
      (a, b) => Number(b.keys.some(key => nextKey.test(key))) - Number(a.keys.some(key => nextKey.test(key))),
    )
  return found.flatMap(({ keys, name, value }) => {
    const path = pathOf(keys)
    if (path === undefined || items.length === 0) return []
    const isPage = typeof value === 'number' && /page/i.test(name)
    const param = isPage
      ? (Object.keys(params).find(isPageName) ?? 'page')
      : (asked ??
        cursorParams[plain(name)] ??
        name.replace(/^next_?/i, '').replace(/^[A-Z](?=[a-z])/, first => first.toLowerCase()))
    return [
      {
        pagination: { method: 'json-cursor', param, cursorPath: path },
        why: `"${path}" of the answer is what the next request sends as "${param}".`,
        replaces: [param],
      },
    ]
  })
}

/** The id of the last item, where the items come in the order of their ids. */
const byLastId = ({ params, items }: SeenAnswer): PagingGuess[] => {
  const param = Object.keys(params).find(isAfterIdName)
  const ids = items.map(item => (isObject(item) ? item['id'] : undefined))
  if (param === undefined || items.length < 2) return []
  const isNumeric = ids.every(id => typeof id === 'number')
  if (!isNumeric && !ids.every(id => typeof id === 'string')) return []
  const rises = ids.every((id, index) => index === 0 || isBefore(ids[index - 1], id))
  const falls = ids.every((id, index) => index === 0 || isBefore(id, ids[index - 1]))
  if (!rises && !falls) return []
  return [
    {
      pagination: {
        method: 'json-cursor',
        param,
        idKey: 'id',
        type: isNumeric ? 'number' : 'text',
        ...(falls ? { reverse: true } : {}),
      },
      why: `The items come in the order of "id", and the request has the parameter "${param}".`,
      replaces: [],
    },
  ]
}

const isBefore = (a: Json | undefined, b: Json | undefined): boolean =>
  typeof a === 'number' && typeof b === 'number' ? a < b : String(a) < String(b)
