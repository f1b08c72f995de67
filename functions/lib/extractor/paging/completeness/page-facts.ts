import { JsonNumber } from '#lib/json/json-number.ts'
import type { Json } from '#lib/json/json-value.ts'
import { completenessOf } from '../../config/completeness-schema.ts'
import type { Job } from '../../config/job-schema.ts'
import { firstHeader } from '../../requests/answers/http-response.ts'
import { toText } from '../../values/php/php-values.ts'
import { valueAt } from '../../values/select/json-path.ts'
import type { Page } from '../paginator.ts'

/** What a page says about completeness. Plain JSON. */
export interface PageFacts {
  rows: number
  /** Of each row, `null` for a row without one; absent when the job names no ids. */
  ids?: (string | null)[]
  /** How many rows there are, as the API says. */
  total?: number
}

/** Ids that one run of a job may keep in memory. Beyond it only totals are compared, and that is said. */
export const MAX_IDS = 2_000_000

/** Where APIs mostly say how many rows there are. */
const usualHeader = 'X-Total-Count'
const usualPaths = ['total', 'totalCount', 'total_count', 'meta.total']

/**
 * @param given columns that a run adds to all of its rows: they tell no row from another
 * @param limitField path of the total that a stop rule reads
 */
export const pageFacts = (
  job: Job,
  page: Page,
  { given, limitField }: { given: Readonly<Record<string, Json>>; limitField: string | undefined },
): PageFacts => {
  const settings = completenessOf(job.completeness ?? 'warn')
  const paths = settings.id === undefined ? keyPaths(job, given) : [settings.id].flat()
  const total = totalOf(page, settings.total, limitField)
  const hasIds = paths.length > 0 || settings.mode === 'repair' // which goes by them alone
  return {
    rows: page.items.length,
    ...(hasIds ? { ids: idsOf(page.items, paths) } : {}),
    ...(total === undefined ? {} : { total }),
  }
}

const keyPaths = ({ primaryKey = [] }: Job, given: Readonly<Record<string, Json>>): string[] =>
  primaryKey.filter(column => !Object.hasOwn(given, column))

const idsOf = (items: Page['items'], paths: readonly string[]): (string | null)[] => {
  const ids: (string | null)[] = []
  for (const item of items) {
    if (ids.length > MAX_IDS) break // enough to show that there are too many
    ids.push(idOf(item, paths))
  }
  return ids
}

const idOf = (item: Json, paths: readonly string[]): string | null => {
  if (paths.length === 0) return null
  const parts: string[] = []
  for (const path of paths) {
    const value = valueAt(path, item)
    const isOne = value !== undefined && (typeof value !== 'object' || value instanceof JsonNumber)
    if (!isOne || value === '') return null
    parts.push(toText(value))
  }
  return parts.length === 1 ? (parts[0] ?? null) : JSON.stringify(parts)
}

/** The total that an answer says where APIs mostly say it. */
export const usualTotal = (response: Json | undefined, headers: Page['headers']): number | undefined =>
  totalOf({ response: response ?? null, headers }, undefined, undefined)

const totalOf = (
  { response, headers }: Pick<Page, 'response' | 'headers'>,
  total: string | { header: string } | undefined,
  limitField: string | undefined,
): number | undefined => {
  const inHeader = (name: string): number | undefined =>
    asCount(firstHeader(headers, name)?.replace(/^.*\//, '').trim())
  if (typeof total === 'string') return asCount(valueAt(total, response))
  if (total !== undefined) return inHeader(total.header)
  const paths = limitField === undefined ? usualPaths : [limitField, ...usualPaths]
  const found = paths.map(path => asCount(valueAt(path, response)))
  return inHeader(usualHeader) ?? found.find(count => count !== undefined)
}

const asCount = (value: Json | undefined): number | undefined => {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined
  const isCount = /^\d{1,15}$/.test(String(value))
  return isCount ? Number(value) : undefined
}
