import { UserError } from '../../errors/errors.ts'
import type { Json, JsonObject } from '../../json/json-value.ts'
import { isObject } from '../../json/json-value.ts'
import type { PaginationOf } from '../config/pagination-schema.ts'
import { isEmpty, toText } from '../values/php/php-values.ts'
import { valueAt } from '../values/select/json-path.ts'
import { type Paginator, type PaginatorInput, pageRequest } from './paginator.ts'

/**
 * A connection of GraphQL: `pageInfo` says whether there is a next page, and its cursor goes into a variable. A page that says so
 * without a new cursor is an error: to end there would lose rows.
 *
 * ```
 * { "method": "graphql" }
 * POST {"query": …}                                   200 {"data": {"orders": {"nodes": […], "pageInfo": {"hasNextPage": true, "endCursor": "c1"}}}}
 * POST {"query": …, "variables": {"after": "c1"}}     200 {"data": {"orders": {"nodes": […], "pageInfo": {"hasNextPage": false}}}}
 * ```
 */
export const graphqlPaginator = (settings: PaginationOf<'graphql'>, input: PaginatorInput): Paginator => {
  const isReverse = settings.reverse === true
  const variable = settings.variable || (isReverse ? 'before' : 'after')
  const [flag, key] = isReverse ? ['hasPreviousPage', 'startCursor'] : ['hasNextPage', 'endCursor']
  return {
    first: pageRequest(input),
    next: (page, previous) => {
      const { path, info } = findPageInfo(settings.path, page.response)
      if (info === undefined) input.log.warning(`The response has no page info at '${path}'; stopping.`)
      if (info === undefined || isEmpty(info[flag])) return undefined
      const cursor = info[key]
      if (cursor === undefined || isEmpty(cursor)) throw stuck(path, `says "${flag}" without "${key}"`)
      if (previous.position !== undefined && toText(previous.position) === toText(cursor))
        throw stuck(path, `says "${flag}" with the cursor of the page before`)
      return pageRequest(input, { params: withVariable(input.job.params, variable, cursor) }, cursor)
    },
    stuck: page =>
      findPageInfo(settings.path, page.response).info === undefined
        ? 'a response had no page info'
        : undefined,
    toldBy: 'answer',
    ended: `the page info says no "${flag}"`,
  }
}

const stuck = (path: string, what: string): UserError =>
  new UserError('extractor.pagination.graphql', `The page info at '${path}' ${what}.`)

const withVariable = (
  params: PaginatorInput['job']['params'],
  name: string,
  value: Json,
): Record<string, Json> => {
  const own: Record<string, Json> = { ...(Array.isArray(params) ? {} : params) }
  const variables = isObject(own['variables']) ? own['variables'] : {}
  return { ...own, variables: { ...variables, [name]: value } }
}

const findPageInfo = (
  path: string | undefined,
  response: Json,
): { path: string; info: JsonObject | undefined } => {
  if (path) {
    const found = valueAt(path, response)
    return { path, info: isObject(found) ? found : undefined }
  }
  const all = pageInfos(response, [])
  if (all.length > 1)
    throw new UserError(
      'extractor.pagination.graphql',
      `There are several page infos: name one in "path" of the pagination (${all.map(one => one.path).join(', ')}).`,
    )
  return all[0] ?? { path: 'pageInfo', info: undefined }
}

/** Those of lists belong to single items, so they say nothing of the page. */
const pageInfos = (value: Json, path: readonly string[]): { path: string; info: JsonObject }[] => {
  if (!isObject(value) || path.length > 20) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    name === 'pageInfo' && isObject(inner)
      ? [{ path: [...path, name].join('.'), info: inner }]
      : pageInfos(inner, [...path, name]),
  )
}
