import { hexDigest } from '../../digests.ts'
import { UserError } from '../../errors/errors.ts'
import type { Json } from '../../json/json-value.ts'
import { dataTypeOf, type Job } from '../config/job-schema.ts'
import { createErrorRules, type RuleFor } from '../requests/http/retry-delay.ts'
import { evaluate } from '../values/functions/evaluate.ts'
import { toText } from '../values/php/php-values.ts'
import { valueAt } from '../values/select/json-path.ts'
import {
  createResponseFilter,
  parseRowFilter,
  type ResponseFilterOptions,
  type RowFilter,
} from '../values/select/response-filter.ts'

/** A job of the configuration, read once. */
export interface JobPlan {
  /** Positions in `config.jobs` and `children`, such as `0.1`: names the plan in checkpoints and summaries. */
  path: string
  job: Job
  /** Table and mapping name. */
  dataType: string
  filterItems: ((items: Json[]) => Json[]) | undefined
  /** Which parent rows get a request; absent for all. */
  rowFilter: RowFilter | undefined
  /** Its own error rules. */
  ruleFor: RuleFor | undefined
  children: JobPlan[]
}

/**
 * Jobs are kept by id, and a job without one by its content: of equal jobs one runs, and of several with one id the last,
 * in the place of the first (docs/reference/extractor-jobs.md#jobs).
 */
export const planJobs = (jobs: readonly Job[], options: ResponseFilterOptions, parent = ''): JobPlan[] => {
  const byId = new Map<string, { job: Job; index: number }>()
  for (const [index, job] of jobs.entries()) {
    byId.set(job.id || hexDigest(JSON.stringify(job)), { job, index })
  }
  return [...byId.values()].map(({ job, index }) => {
    const path = parent === '' ? String(index) : `${parent}.${index}`
    return {
      path,
      job,
      dataType: dataTypeOf(job),
      filterItems: createResponseFilter(job, options),
      rowFilter: job.recursionFilter ? parseRowFilter(job.recursionFilter) : undefined,
      ruleFor: job.errorRules && createErrorRules(job.errorRules),
      children: planJobs(job.children ?? [], options, path),
    }
  })
}

/** Every plan of a tree, parents first. */
export function* allPlans(plans: readonly JobPlan[]): Generator<JobPlan> {
  for (const plan of plans) {
    yield plan
    yield* allPlans(plan.children)
  }
}

/**
 * Groups the top-level jobs into sequences that may run side by side. Jobs that could write to the same table share a
 * sequence, so that every table has its rows in the order of the configuration. All jobs share one when a job may change
 * something at the API.
 *
 * @param method of jobs that name none
 */
export const groupByTable = (
  plans: readonly JobPlan[],
  { mappings, method = 'GET' }: { mappings: unknown; method?: string | undefined },
): JobPlan[][] => {
  // A POST may prepare what a later job reads
  const mayChange = ({ job }: JobPlan) => job.body !== undefined || (job.method ?? method) !== 'GET'
  if ([...allPlans(plans)].some(mayChange)) return [[...plans]]
  // Mappings can send rows of any type to any table
  if (typeof mappings === 'object' && mappings !== null && Object.keys(mappings).length > 0)
    return [[...plans]]
  const groups: { plans: JobPlan[]; tables: string[] }[] = []
  for (const plan of plans) {
    const tables = [...allPlans([plan])].map(({ dataType }) => tableName(dataType))
    const sharing = groups.filter(group => group.tables.some(a => tables.some(b => mayShare(a, b))))
    const [first, ...others] = sharing
    if (first === undefined) {
      groups.push({ plans: [plan], tables })
      continue
    }
    for (const other of others) {
      first.plans.push(...other.plans)
      first.tables.push(...other.tables)
      groups.splice(groups.indexOf(other), 1)
    }
    first.plans.push(plan)
    first.tables.push(...tables)
  }
  return groups.map(group => group.plans.sort((a, b) => plans.indexOf(a) - plans.indexOf(b)))
}

/** The name as the table gets it. Names of over 64 characters are shortened and may become equal to any other. */
const tableName = (dataType: string): string =>
  dataType.replace(/[^A-Za-z0-9-]+/g, '_').replace(/^_+|_+$/g, '')

/** A list inside a row becomes the table `<table>_<path>`. */
const mayShare = (a: string, b: string): boolean =>
  a === b ||
  a.startsWith(`${b}_`) ||
  b.startsWith(`${a}_`) ||
  a.length > 40 ||
  b.length > 40 ||
  a === '' ||
  b === ''

/** Name of a job in the state. Stable while the job's id, or its place and endpoint, stay the same. */
export const stateName = ({ job, path }: JobPlan): string =>
  job.id || `${job.endpoint}#${hexDigest(`${path}\0${job.endpoint}\0${job.dataType ?? ''}`, 12)}`

/** A placeholder with the value for one request. `path` names the column `parent_<path>`. */
export interface Placeholder {
  name: string
  path: string
  value: Json
}

/**
 * The values of a child's placeholders for one parent row: one set per request. A list value makes one request per
 * element; several lists make every combination, the last varying fastest (docs/reference/extractor-jobs.md#child-jobs).
 *
 * @param rows the parent row, then its parents
 * @param inherited placeholders of the parent's own request; a same-named deeper one wins in its place
 * @throws UserError `extractor.placeholder` for a level or a path that is not there
 */
export const resolvePlaceholders = (
  placeholders: Job['placeholders'],
  rows: readonly Json[],
  inherited: readonly Placeholder[],
  now: number,
): Placeholder[][] => {
  const byName = new Map(inherited.map(placeholder => [placeholder.name, placeholder]))
  for (const [name, definition] of Object.entries(placeholders ?? {})) {
    const placeholder = resolve(name, definition, rows, now)
    if (placeholder === undefined) return []
    byName.set(name, placeholder)
  }
  return combinations([...byName.values()])
}

const resolve = (
  name: string,
  definition: string | { path: string; missing?: 'fail' | 'skip' | undefined },
  rows: readonly Json[],
  now: number,
): Placeholder | undefined => {
  const level = levelOf(name)
  const path = typeof definition === 'string' ? definition : definition.path
  if (level < 1 || level > rows.length) {
    throw new UserError(
      'extractor.placeholder',
      `Level ${level} not found in parent results! Maximum level: ${rows.length}`,
    )
  }
  const value = valueAt(path, rows[level - 1])
  const isSkipped = typeof definition === 'object' && definition.missing === 'skip'
  if (value === undefined) {
    if (isSkipped) return undefined
    throw new UserError(
      'extractor.placeholder',
      `No value found for ${name} in parent result. (level: ${level})`,
    )
  }
  if (typeof definition === 'string') return { name, path, value }
  const { path: _path, missing: _missing, ...expression } = definition
  if (Object.keys(expression).length === 0) return { name, path, value }
  const context = { placeholder: { value }, parent: rows[level - 1] ?? null }
  const made = evaluate(expression, context, { path: `placeholders.${name}`, now, isPlaceholder: true })
  return made === null && isSkipped ? undefined : { name, path, value: made }
}

/** 1 is the row above, 2 the one above that. */
const levelOf = (name: string): number => (/^\d+:/.test(name) ? Number.parseInt(name, 10) : 1)

/** Whether a placeholder that may be missing (`"missing": "skip"`) finds nothing at its path. */
export const lacksValue = (placeholders: Job['placeholders'], rows: readonly Json[]): boolean =>
  Object.entries(placeholders ?? {}).some(
    ([name, given]) =>
      typeof given === 'object' &&
      given.missing === 'skip' &&
      valueAt(given.path, rows[levelOf(name) - 1] ?? null) === undefined,
  )

/** Each is a request, and all are made at once. */
const MAX_COMBINATIONS = 100_000

const combinations = (placeholders: readonly Placeholder[]): Placeholder[][] => {
  const lists = placeholders.map(placeholder => ({
    placeholder,
    values: Array.isArray(placeholder.value) ? placeholder.value : [placeholder.value],
  }))
  const count = lists.reduce((product, { values }) => product * values.length, 1)
  if (count > MAX_COMBINATIONS)
    throw new UserError(
      'extractor.placeholder',
      `The placeholders ${placeholders.map(({ name }) => name).join(', ')} have ${count} combinations of one row, more than ${MAX_COMBINATIONS}.`,
    )
  return lists.reduce<Placeholder[][]>(
    (sets, { placeholder, values }) =>
      sets.flatMap(set => values.map(value => [...set, { ...placeholder, value }])),
    [[]],
  )
}

/** Puts the values into an endpoint: `{name}`, raw and without escaping, as Generic Extractor does. */
export const fillEndpoint = (endpoint: string, placeholders: readonly Placeholder[]): string =>
  placeholders.reduce(
    (filled, { name, value }) => filled.replaceAll(`{${name}}`, () => toText(value)),
    endpoint,
  )

/**
 * The first value that its place in the endpoint cuts or changes, as `#` does in a path: `C#` in `langs/{id}` asks for `langs/C`. A value that
 * the endpoint begins with is an address.
 */
export const cutValue = (endpoint: string, placeholders: readonly Placeholder[]): string | undefined => {
  for (const { name, value } of placeholders) {
    const at = endpoint.indexOf(`{${name}}`, 1)
    const cuts = endpoint.slice(0, at).includes('?') ? /[#&+]/ : /[#?]/
    if (at > 0 && cuts.test(toText(value))) return `'${toText(value)}' as {${name}}`
  }
  return undefined
}

/** The columns that link a child row to its parent: `parent_<path>`, an existing `parent_` not doubled. */
export const parentColumns = (placeholders: readonly Placeholder[]): Record<string, Json> =>
  Object.fromEntries(
    placeholders.map(({ path, value }) => [path.startsWith('parent_') ? path : `parent_${path}`, value]),
  )
