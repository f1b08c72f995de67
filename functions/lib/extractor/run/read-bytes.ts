import type { Json, JsonObject } from '../../json/json-value.ts'
import { parseJson } from '../../json/parse-json.ts'
import type { Page } from '../paging/paginator.ts'
import type { FetchedPage } from '../requests/http/fetched-page.ts'
import type { BytePage } from '../tables/bytes/byte-page.ts'
import { itemsAt } from '../tables/item-log.ts'
import type { BytesRead, TableSink } from '../tables/sink-types.ts'
import { isEmpty } from '../values/php/php-values.ts'
import { keysOf } from '../values/select/json-path.ts'
import type { JobContext } from './job-context.ts'
import type { JobRun, PageWork } from './job-run.ts'

/**
 * The rows of a page from its bytes alone, where nothing else looks at its items. Nothing for all other pages: they have to be parsed.
 */
export const readBytes = (
  { run }: PageWork,
  { isParsed, body, items, listAt, ends }: FetchedPage,
  context: JobContext,
  sink: TableSink,
): BytesRead | undefined => {
  const isPart = items !== undefined || listAt !== undefined
  if (!isParsed || isPart || ends !== undefined || !goesStraightToTables(run, context)) return undefined
  const { plan, columns, paginator } = run
  const path = pathOf(plan.job.dataField)
  if (path?.includes('*') === true) return undefined
  return sink.readBytes(plan.dataType, {
    body,
    path,
    parent: columns,
    watched: paginator.itemKey,
  })
}

/** Whether the items of a run are counted and written, and that is all. */
const goesStraightToTables = ({ plan, paginator }: JobRun, context: JobContext): boolean => {
  const { job, filterItems, children } = plan
  const isLookedAt = children.length > 0 || job.incremental !== undefined || paginator.countsVolume
  return filterItems === undefined && !isLookedAt && context.maxRows === undefined
}

/** As in `findItems`. */
const pathOf = (field: JobRun['plan']['job']['dataField']): string[] | undefined => {
  const path = typeof field === 'object' ? field.path : field
  if (path === undefined || isEmpty(path)) return undefined
  return keysOf(path, typeof field === 'object' && field.delimiter ? field.delimiter : '.')
}

/** A page of which the bytes were read, as paginators see it: what they ask for beyond that is parsed then. */
export const pageOfBytes = (
  { path, rest, count, values }: BytePage,
  fetched: Pick<FetchedPage, 'response' | 'headers' | 'url'>,
): Page => ({
  get response() {
    return path.length === 0 ? fetched.response : withItems(rest, path, () => allItems(fetched, path))
  },
  items: {
    length: count,
    *[Symbol.iterator]() {
      const watched = parseJson(values) as Json[] // a list, as it was written
      yield* watched.length === count ? watched : allItems(fetched, path)
    },
  },
  headers: fetched.headers,
  url: fetched.url,
})

const allItems = (fetched: Pick<FetchedPage, 'response'>, path: readonly string[]): Json[] =>
  itemsAt(fetched.response, path)

/** A response whose items are parsed when someone asks for them. */
const withItems = (rest: Json, [key = '', ...others]: readonly string[], items: () => Json[]): Json => {
  const response = { ...(rest as JsonObject) } // the path leads through objects
  const inner = response[key] ?? null
  return Object.defineProperty(response, key, {
    enumerable: true,
    get: () => (others.length === 0 ? items() : withItems(inner, others, items)),
  })
}
