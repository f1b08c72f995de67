import { UserError } from '../../errors/errors.ts'
import { isObject, type Json } from '../../json/json-value.ts'
import { isFileName } from '../../paths/path-inside.ts'
import { isEmptyAsArray } from '../values/php/php-values.ts'
import { valueAtKeys } from '../values/select/json-path.ts'

/** A file is named by a table, behind the name of its bucket. */
const MAX_TABLE_BYTES = 128

/** Values of `type` in a mapping. */
export const mappingTypes = ['column', 'user', 'table', 'date'] as const

/**
 * One path of a mapping, checked and spelled out. Keys are as in the configuration
 * (docs/reference/extractor-tables.md#mappings).
 */
export type MappingEntry = ColumnEntry | TableEntry

/**
 * One column: of the row (`column`, `date`), or of the job's user data (`user`).
 *
 * ```
 * { "customer.name": { "mapping": { "destination": "customer" } },
 *   "region": { "type": "user", "mapping": { "destination": "region" } } }
 * { "customer": { "name": "Ann" } }    with user data { "region": "eu" }    gives  "Ann","eu"
 * ```
 */
interface ColumnEntry {
  kind: 'column' | 'user'
  path: string
  delimiter: string
  destination: string
  isPrimaryKey: boolean
  forceType: boolean
  /** False for dates with compat: newer releases added them, and write their cells but not their name. */
  isInHeader: boolean
}

/**
 * A list of the row as a table of its own, linked by the parent's primary key, else by a hash of the row.
 *
 * ```
 * { "id": { "mapping": { "destination": "id", "primaryKey": true } },
 *   "lines": { "type": "table", "destination": "lines", "tableMapping": { "sku": { "mapping": { "destination": "sku" } } } } }
 * { "id": 7, "lines": [{ "sku": "a" }, { "sku": "b" }] }
 * orders: "7"    lines: "a","7" and "b","7"
 * ```
 */
export interface TableEntry {
  kind: 'table'
  path: string
  delimiter: string
  destination: string
  entries: readonly MappingEntry[]
  /** Absent: the rows are not linked. */
  parent: ParentKey | undefined
}

/** The column that links rows of a table in rows to these. */
export interface ParentKey {
  column: string
  isPrimaryKey: boolean
}

/**
 * Reads the mapping of one data type.
 * @throws UserError `extractor.tables.badMapping` with Generic Extractor's message and the path
 */
export const readMapping = (type: string, mapping: unknown, compat = false): MappingEntry[] => {
  if (isEmptyAsArray(mapping))
    throw bad(`Empty mapping for '${type}' data type in 'mappings' config.`, `mappings.${type}`)
  if (!isObject(mapping)) {
    const given = Array.isArray(mapping) ? 'list' : typeof mapping
    throw bad(
      `Mapping must be 'array' type, '${given}' type given, for '${type}' data type in 'mappings' config.`,
      `mappings.${type}`,
    )
  }
  const entries = readEntries(type, mapping, `mappings.${type}`, compat)
  if (!compat) refuseClashes(type, entries, `mappings.${type}`)
  return entries
}

/** Two columns of one name would get one cell, and of two mappings of one table only the first would be read. */
const refuseClashes = (
  table: string,
  entries: readonly MappingEntry[],
  at: string,
  link?: ParentKey,
): void => {
  const hasKey = link?.isPrimaryKey || entries.some(entry => entry.kind !== 'table' && entry.isPrimaryKey)
  const columns = link === undefined ? [] : [link.column]
  const mappings = new Map<string, string>()
  for (const entry of entries) {
    if (entry.kind !== 'table') {
      columns.push(entry.destination)
      continue
    }
    const { destination, parent } = entry
    const mapping = JSON.stringify(entry.entries)
    if ((mappings.get(destination) ?? mapping) !== mapping)
      throw config(`Table '${destination}' has two mappings that differ.`, at)
    mappings.set(destination, mapping)
    if (!hasKey && parent !== undefined) columns.push(destination)
    refuseClashes(destination, entry.entries, at, parent)
  }
  const twice = columns.find((column, index) => columns.indexOf(column) !== index)
  if (twice !== undefined) throw config(`Table '${table}' has two columns '${twice}'.`, at)
}

const readEntries = (
  table: string,
  mapping: Record<string, unknown>,
  at: string,
  compat: boolean,
): MappingEntry[] =>
  Object.entries(mapping).map(([path, settings]) =>
    readEntry({ table, path, at: `${at}.${path}`, compat }, settings),
  )

/** One entry of the mapping of a table, and where it stands. */
interface EntryPlace {
  table: string
  path: string
  at: string
  compat: boolean
}

const readEntry = (place: EntryPlace, settings: unknown): MappingEntry => {
  const { path, at, compat } = place
  const given = typeof settings === 'string' ? { mapping: { destination: settings } } : settings
  if (!isObject(given)) throw config(`Key 'mapping.destination' is not set for column '${path}'.`, at)
  const type = !isEmptyAsArray(given['type']) ? given['type'] : 'column'
  const delimiter = text(given['delimiter']) ?? '.'
  if (!mappingTypes.some(known => known === type)) throw bad(`Invalid mapping type "${String(type)}".`, at)
  if (type === 'table') return readTable(place, delimiter, given)
  const target = isObject(given['mapping']) ? given['mapping'] : {}
  const destination = text(target['destination'])
  if (destination === undefined)
    throw config(`Key 'mapping.destination' is not set for column '${path}'.`, at)
  return {
    kind: type === 'user' ? 'user' : 'column',
    path,
    delimiter,
    destination,
    isPrimaryKey: !isEmptyAsArray(target['primaryKey']),
    forceType: !isEmptyAsArray(given['forceType']),
    isInHeader: !(compat && type === 'date'),
  }
}

const readTable = (
  { table, path, at, compat }: EntryPlace,
  delimiter: string,
  given: Record<string, unknown>,
): TableEntry => {
  const destination = text(given['destination'])
  if (destination === undefined) throw config(`Key 'destination' is not set for table '${path}'.`, at)
  if (!isFileName(destination, MAX_TABLE_BYTES))
    throw config(`Key 'destination' is not the name of a table: '${destination}'.`, `${at}.destination`)
  const parentKey = isObject(given['parentKey']) ? given['parentKey'] : {}
  const column = text(parentKey['destination']) ?? `${table}_pk`
  const inner = given['tableMapping']
  return {
    kind: 'table',
    path,
    delimiter,
    destination,
    entries: isObject(inner) ? readEntries(destination, inner, `${at}.tableMapping`, compat) : [],
    parent: isEmptyAsArray(parentKey['disable'])
      ? { column, isPrimaryKey: !isEmptyAsArray(parentKey['primaryKey']) }
      : undefined,
  }
}

const config = (message: string, path: string): UserError =>
  bad(`Bad Json to CSV Mapping configuration: ${message}`, path)

const bad = (message: string, path: string): UserError => {
  return new UserError('extractor.tables.badMapping', message, { params: { path } })
}

const text = (value: unknown): string | undefined => {
  if (typeof value === 'number') return `${value}`
  return typeof value === 'string' && value !== '' ? value : undefined
}

interface TableOfMapping {
  name: string
  columns: string[]
  primaryKey: string[]
}

/** The tables that a mapping alone makes, inner ones first: their columns in order, the parent's key last. */
export function* tablesOfMapping(
  name: string,
  entries: readonly MappingEntry[],
  parent?: ParentKey,
): Generator<TableOfMapping> {
  for (const entry of entries)
    if (entry.kind === 'table') yield* tablesOfMapping(entry.destination, entry.entries, entry.parent)
  const own = entries.filter(entry => entry.kind !== 'table').filter(({ isInHeader }) => isInHeader)
  const key = own.filter(({ isPrimaryKey }) => isPrimaryKey)
  const columns = own.map(({ destination }) => destination)
  const primaryKey = key.map(({ destination }) => destination)
  if (parent !== undefined) columns.push(parent.column)
  if (parent?.isPrimaryKey) primaryKey.push(parent.column)
  if (columns.length > 0) yield { name, columns, primaryKey }
}

/** The value at a mapped path; an empty path, `'0'` and the delimiter alone are the row itself. Missing is null. */
export const mappedValue = (row: Json, path: string, delimiter: string): Json => {
  const isRow = path === '' || path === '0' || path === delimiter
  // Other paths are taken as written: a delimiter at an end adds a key named ""
  return valueAtKeys(isRow ? [] : path.split(delimiter), row) ?? null
}
