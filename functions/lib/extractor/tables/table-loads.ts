import { inOrder } from '#lib/json/key-order.ts'
import { UserError } from '../../errors/errors.ts'
import { isObject, type Json, type JsonObject } from '../../json/json-value.ts'
import { type ChangesOnlyJob, changesOnlyJobs } from '../config/changes-only.ts'
import type { Config } from '../config/config-schema.ts'
import { dataTypeOf, everyJob } from '../config/job-schema.ts'
import { type ExtractorConfig, iterationsByBucket } from '../config/parse-config.ts'
import { phpJsonEncode } from '../values/php/php-serialize.ts'
import { safeName } from '../values/php/php-values.ts'
import { readMapping, tablesOfMapping } from './mapping.ts'
import { type TableLoad, tableFileName, type WrittenTable } from './write-tables.ts'

/** A table as far as its load depends on it; without columns before there are any. */
type LoadableTable = Pick<WrittenTable, 'name' | 'insteadOf' | 'types' | 'primaryKey'> &
  Partial<Pick<WrittenTable, 'columns'>>

/**
 * A table of a job that asks only for changes is loaded incrementally, by its primary key: replaced, it would keep those
 * changes and nothing else; without a key it would get a changed row a second time. All other tables are loaded as
 * `incrementalOutput` says.
 *
 * @param iterations which write to this bucket: the mappings of the first and the switch of the last count
 */
export const createTableLoads = (
  parsed: ExtractorConfig,
  bucket: string | undefined,
  iterations: readonly Config[],
) => {
  const { file, compat } = parsed
  const { narrowed, keys } = groupJobs(parsed, iterations)
  const mappings = isObject(iterations[0]?.mappings) ? iterations[0].mappings : {}
  const { incrementalOutput } = iterations.at(-1) ?? {}

  /** `warn` gets what the author should know. Throws `UserError` `extractor.incremental.*`. */
  const loadOf = (
    { name, insteadOf = name, types, primaryKey: ofMapping, columns }: LoadableTable,
    warn: (message: string) => void,
  ): TableLoad => {
    const output = outputOf(tableFileName(bucket, name))
    const isMapped = types.some(type => Object.hasOwn(mappings, type))
    const ofJob = isMapped ? [] : keyOfJobs(insteadOf)
    const isKeyedList = types.some(keyOfLists) && listKey.every(column => columns?.includes(column))
    const own = ofMapping.length > 0 ? [...ofMapping] : isKeyedList ? [...listKey] : ofJob
    const asSwitched = { incremental: incrementalOutput === true, primaryKey: own }
    const job = narrowed.values().find(({ dataType }) => types.includes(dataType))
    if (job === undefined) return asSwitched
    if (compat && !job.isMarked) {
      if (!asSwitched.incremental)
        warn(`Table '${name}' is replaced. ${asks(job)}, so it keeps nothing else ("compat").`)
      return asSwitched
    }
    if ((output?.incremental ?? incrementalOutput) === false) throw replaces(job, name)
    const missing = columns && ofJob.find(column => !columns.includes(column))
    if (missing !== undefined) throw noSuchColumn(name, missing, columns ?? [])
    const hasKey = own.length > 0 || (output?.primary_key ?? []).length > 0
    if (!hasKey) {
      const isAppend = !job.isMarked && (output?.incremental ?? incrementalOutput) === true
      if (!isAppend) throw noKey(job, name, isMapped)
      warn(
        `Table '${name}': its job asks only for what changed (${job.because}), and no primary key is named. ` +
          `The rows are added, so a row that changes is there twice. ${howToKey(job, name, isMapped)}`,
      )
    }
    return { incremental: true, primaryKey: own }
  }

  /**
   * The key of the rows of a data type whose nested lists are updated by a key as well: those of jobs that ask only for changes,
   * unless the configuration says otherwise (a mapping, `compat`, tables that grow, `primary_key` of a list in `storage`).
   */
  const keyOfLists = (dataType: string): readonly string[] | undefined => {
    const job = narrowed.values().find(narrow => narrow.dataType === dataType)
    if (job === undefined || compat || Object.hasOwn(mappings, dataType)) return undefined
    if (!job.isMarked && incrementalOutput === true) return undefined
    const name = safeName(dataType)
    const lists = tableFileName(bucket, `${name}_`)
    const isNamed = file.storage?.output?.tables?.some(
      ({ source, primary_key: key = [] }) => source.startsWith(lists) && key.length > 0,
    )
    if (isNamed === true) return undefined
    const key = keyOfJobs(name)
    const named = key.length > 0 ? key : (outputOf(tableFileName(bucket, name))?.primary_key ?? [])
    return named.length > 0 ? named : undefined
  }

  const outputOf = (fileName: string) =>
    file.storage?.output?.tables?.find(({ source }) => source === fileName || source === `${fileName}.csv`)

  const keyOfJobs = (table: string): string[] => {
    const [first = [], ...others] = (keys.get(table) ?? []).map(({ primaryKey = [] }) => primaryKey)
    const other = others.find(key => key.join() !== first.join())
    if (other !== undefined)
      throw new UserError(
        'extractor.incremental.differentKeys',
        `Jobs that write to the table "${table}" name different primary keys: "${first.join(', ')}" and "${other.join(', ')}".`,
      )
    return first
  }

  return {
    of: loadOf,
    keyOfLists,
    /** Throws `UserError` `extractor.incremental.*` for what the configuration alone shows to be wrong. */
    check: (): void => {
      for (const { dataType } of narrowed.values()) {
        const tables = Object.hasOwn(mappings, dataType)
          ? tablesOfMapping(dataType, readMapping(dataType, mappings[dataType]))
          : [{ name: safeName(dataType), primaryKey: [] }]
        for (const table of tables) loadOf({ ...table, types: [dataType] }, () => {})
      }
    },
  }
}

/** Throws `UserError` `extractor.incremental.*` for what the configuration alone shows to be wrong. */
export const checkLoads = (parsed: ExtractorConfig): void => {
  for (const [bucket, iterations] of iterationsByBucket(parsed))
    createTableLoads(parsed, bucket, iterations).check()
}

/** What the jobs of all iterations say of the tables that they write to. */
const groupJobs = ({ file, compat }: ExtractorConfig, iterations: readonly Config[]) => {
  const jobs = iterations.flatMap(({ jobs }) => [...everyJob(jobs)])
  return {
    narrowed: new Map(
      iterations
        .flatMap(config => changesOnlyJobs(config, file))
        .map(job => [`${job.path} ${job.dataType}`, job] as const),
    ),
    keys: Map.groupBy(
      // In compat mode a job has no key, as in Generic Extractor, which does not know `incremental` either
      jobs.filter(job => job.primaryKey !== undefined && (!compat || job.incremental !== undefined)),
      job => safeName(dataTypeOf(job)),
    ),
  }
}

const asks = ({ path, because }: ChangesOnlyJob): string =>
  `Job ${path} asks only for what changed (${because})`

const replaces = (job: ChangesOnlyJob, table: string): UserError =>
  new UserError(
    'extractor.incremental.replaces',
    `${asks(job)}, but its table "${table}" would be replaced by that and lose all other rows: ` +
      'leave out "incrementalOutput": false (or "incremental": false in storage.output.tables), or set it to true.',
  )

const noKey = (job: ChangesOnlyJob, table: string, isMapped: boolean): UserError =>
  new UserError(
    'extractor.incremental.noKey',
    `${asks(job)}, so its table "${table}" is loaded incrementally, and that needs a primary key. ` +
      howToKey(job, table, isMapped),
    { params: { job: job.path, table } },
  )

const howToKey = ({ path, dataType }: ChangesOnlyJob, table: string, isMapped: boolean): string => {
  const place = `parameters.config.jobs.${path.replaceAll('.', '.children.')}`
  if (isMapped)
    return `Mark the columns that tell its rows apart in parameters.config.mappings.${dataType}: "mapping": {"destination": "id", "primaryKey": true}${table === dataType ? '' : ', or "parentKey": {"primaryKey": true}'}.`
  if (table === safeName(dataType))
    return `Name the columns that tell its rows apart at ${place}: "primaryKey": ["id"].`
  return (
    `It comes from a list inside the rows of "${dataType}": give it a key in parameters.config.mappings.${dataType} ` +
    '(an entry of type "table"), or keep the list as JSON in one column with "responseFilter".'
  )
}

const noSuchColumn = (table: string, column: string, columns: readonly string[]): UserError =>
  new UserError(
    'extractor.incremental.noSuchColumn',
    `The primary key of the table "${table}" names the column "${column}", which it does not have. Its columns are: ${columns.join(', ')}.`,
  )

/** Columns that tell the rows of a nested list apart, from load to load: those of `keyLists`. */
const listKey = ['JSON_parentKey', 'JSON_position'] as const

type Columns = Readonly<Record<string, Json>>

/**
 * Gives the elements of all lists in the rows a key: that of their row, and their place in the list, from 0.
 *
 * `{"id": 7, "lines": [{"sku": "a"}, {"sku": "b"}]}` becomes
 * `{"id": 7, "lines": [{"sku": "a", "JSON_parentKey": 7, "JSON_position": 0}, {"sku": "b", "JSON_parentKey": 7, "JSON_position": 1}]}`
 *
 * The key of a row with several columns, or of an element, is a JSON list of its parts. What is no object becomes `{"data": it, …}`, which
 * gives a scalar the same column.
 *
 * @param primaryKey columns of the row's table
 * @param parents columns that a job adds to each row
 * @throws UserError `extractor.incremental.noKey` for members of these names
 */
export const keyLists = (
  rows: readonly Json[],
  primaryKey: readonly string[],
  parents: Columns = {},
): Json[] =>
  rows.map(row => {
    if (!isObject(row) || !Object.values(row).some(value => typeof value === 'object' && value !== null))
      return row
    const key = primaryKey.map(column => parents[column] ?? valueOfColumn(row, column) ?? null)
    return withKeys(row, key)
  })

const withKeys = (object: JsonObject, key: readonly Json[]): JsonObject =>
  Object.entries(object).reduce((changed, [name, value]) => {
    if (isObject(value)) return withMember(changed, name, withKeys(value, key))
    return Array.isArray(value) ? withMember(changed, name, keyedList(value, key)) : changed
  }, object)

const keyedList = (list: readonly Json[], key: readonly Json[]): Json => {
  const [parentName, positionName] = listKey
  const parentKey = key.length === 1 ? (key[0] ?? null) : phpJsonEncode([...key], true)
  return list.map((element, position) => {
    const row = isObject(element) ? element : { data: element }
    const taken = listKey.find(name => Object.hasOwn(row, name))
    if (taken !== undefined)
      throw new UserError(
        'extractor.incremental.noKey',
        `A list inside the rows has members "${taken}", so its rows get no key. Give it a mapping, or keep it as JSON with "responseFilter".`,
      )
    const keyed = withKeys(row, [...key, position])
    return withMember(withMember(keyed, parentName, parentKey), positionName, position)
  })
}

/** The value that becomes this column: `user_id` is `{"user": {"id": 1}}` or `{"user_id": 1}`. */
const valueOfColumn = (object: JsonObject, column: string): Json | undefined => {
  for (const [name, value] of Object.entries(object)) {
    const safe = safeName(name)
    if (safe === column) return value
    const found =
      isObject(value) && column.startsWith(`${safe}_`)
        ? valueOfColumn(value, column.slice(safe.length + 1))
        : undefined
    if (found !== undefined) return found
  }
  return undefined
}

/** The object with a member replaced in its place, or added at the end. */
const withMember = (object: JsonObject, key: string, value: Json): JsonObject =>
  inOrder({ ...object, [key]: value }, [...Object.keys(object), key])
