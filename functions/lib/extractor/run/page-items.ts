import { isContainer, isObject, type Json, mapFields } from '../../json/json-value.ts'
import { LIST_ITEMS } from '../config/response-schema.ts'
import { type RunEnding, totalOf, type WatchedPage } from '../paging/completeness.ts'
import type { Page } from '../paging/paginator.ts'
import { readAllItems, readPart, removeItems } from '../requests/answers/item-file.ts'
import { type FetchedPage, fingerprint } from '../requests/http/fetched-page.ts'
import type { AddOptions } from '../tables/sink-types.ts'
import { findItems } from '../values/select/find-items.ts'
import type { JobContext } from './job-context.ts'
import type { PageWork } from './job-run.ts'

/** Items of a page that go to the tables at once. */
interface PageItems {
  items: Json[]
  warning?: string
  /** Where they are in bytes that hold nothing else of importance; absent when there are none such. */
  source?: NonNullable<AddOptions['source']>
  /** What is left of the page when it comes in parts. */
  rest?: FetchedPage
}

/** The items of a response; of an answer whose items wait in a file, its next part. */
export const nextItems = (work: PageWork, fetched: FetchedPage, context: JobContext): PageItems => {
  const { items: waiting } = fetched
  if (waiting === undefined) return nextOfList(work, fetched)
  const part = readPart(context.itemsFolder, waiting.file, waiting.at)
  if (part === undefined) return { items: [] }
  const isLast = part.next >= waiting.file.bytes
  return {
    items: part.items,
    source: { body: part.body, path: [] },
    ...(isLast ? {} : { rest: { ...fetched, items: { file: waiting.file, at: part.next } } }),
  }
}

const listOf = ({ run }: PageWork, { response }: FetchedPage) => {
  const { job } = run.plan
  return findItems(response, job, run.request.endpoint ?? job.endpoint)
}

const nextOfList = (work: PageWork, fetched: FetchedPage): PageItems => {
  const { items, warning, path } = listOf(work, fetched)
  const { listAt = 0 } = fetched
  if (items.length > LIST_ITEMS) {
    const next = listAt + LIST_ITEMS
    return {
      items: items.slice(listAt, next),
      ...(next < items.length ? { rest: { ...fetched, listAt: next } } : {}),
    }
  }
  return {
    items,
    ...(warning === undefined ? {} : { warning }),
    ...(fetched.isParsed && path !== undefined ? { source: { body: fetched.body, path } } : {}),
  }
}

/** The items that are rows: null is none, nor is an object without fields. The list itself when all are. */
export const withoutNothing = (items: Json[]): Json[] =>
  items.some(isNothing) ? items.filter(item => !isNothing(item)) : items

/**
 * The items with texts that a table can hold: without the character NUL.
 *
 * @param tell called for each text that has it, with its path in an item
 */
export const withoutNul = (items: Json[], tell: (item: number, path: string) => void): Json[] => {
  const cleaned = (value: Json, item: number, path: string): Json => {
    if (typeof value === 'string') {
      if (!value.includes('\0')) return value
      tell(item, path)
      return value.replaceAll('\0', '')
    }
    const inside = (part: unknown, key: string | number): Json =>
      cleaned(part as Json, item, path === '' ? `${key}` : `${path}.${key}`) // a part of JSON is JSON
    if (Array.isArray(value)) return value.map(inside)
    return isObject(value) ? mapFields(value, inside) : value
  }
  return items.map((item, index) => cleaned(item, index, ''))
}

const isNothing = (item: Json): boolean => item === null || (isObject(item) && hasNoKeys(item))

/** Without a list of them: each item of each page is looked at. */
const hasNoKeys = (item: object): boolean => {
  for (const _ in item) return false
  return true
}

/** A page with values, as it is watched, and what its response has when it has nothing where its rows should be. */
export const watchedPage = (
  work: PageWork,
  fetched: FetchedPage,
): { watched: WatchedPage; missing: RunEnding['missing'] } => {
  const { headers, items: waiting } = fetched
  if (waiting !== undefined) {
    const { items: count, digest: items } = waiting.file
    return { watched: { count, items, headers, beside: fetched.response }, missing: undefined }
  }
  const { response } = fetched
  const { items, isMissing } = listOf(work, fetched)
  const { length: count } = items
  const keys = isMissing === true && isObject(response) ? Object.keys(response) : []
  const { dataField } = work.run.plan.job
  const path = typeof dataField === 'object' ? dataField.path : dataField
  const saysNone = totalOf(response, headers) === 0
  return {
    watched: {
      count,
      items: count === 0 || work.run.paginator.toldBy === 'nothing' ? '' : textOfItems(fetched, items),
      headers,
      beside: response,
      rows: items,
      isNothing: work.run.paginator.toldBy === 'answer' && !fetched.isParsed && fetched.body.length === 0,
    },
    missing: keys.length > 0 && !saysNone ? { path: path ? `"${path}"` : 'any key', keys } : undefined,
  }
}

/** What is the same for the same items: a piece of the body where that is certain to hold nothing beside them but its brackets. */
const textOfItems = (
  { isParsed, body, response }: FetchedPage,
  items: readonly Json[],
): string | Uint8Array => {
  const isAlone =
    response === items ||
    (isObject(response) && Object.values(response).every(value => value === items || !isContainer(value)))
  return isParsed && isAlone
    ? body.subarray(body.indexOf('['), body.lastIndexOf(']') + 1)
    : JSON.stringify(items)
}

/** Whether a page begins here, rather than a later part of one. */
export const isFirstPart = ({ items, listAt = 0 }: FetchedPage): boolean =>
  listAt === 0 && (items === undefined || items.at === 0)

/**
 * All items of a page as its paginator sees them. Those of a page in parts are read again, one part at a time, and only by
 * paginators that look at each.
 */
export const itemsOfPage = (
  work: PageWork,
  fetched: FetchedPage,
  last: readonly Json[],
  { itemsFolder }: JobContext,
): Page['items'] => {
  const { items: waiting } = fetched
  const { filterItems } = work.run.plan
  if (fetched.listAt !== undefined) {
    const { items } = listOf(work, fetched)
    return filterItems?.(items) ?? items
  }
  if (waiting === undefined || waiting.file.items === last.length) return last
  return {
    length: waiting.file.items,
    *[Symbol.iterator]() {
      for (const item of readAllItems(itemsFolder, waiting.file)) yield* filterItems?.([item]) ?? [item]
    },
  }
}

/** After its last part a page needs its file no more. */
export const dropItems = ({ items: waiting }: FetchedPage, { itemsFolder }: JobContext): void => {
  if (waiting !== undefined) removeItems(itemsFolder, waiting.file)
}

/** What tells a page in a file from another. */
export const digestOf = (fetched: FetchedPage): string | undefined =>
  fetched.items === undefined ? undefined : `${fetched.items.file.digest} ${fingerprint(fetched.response)}`
