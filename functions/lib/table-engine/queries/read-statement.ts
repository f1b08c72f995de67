import { z } from 'zod'
import { UserError } from '../../errors/errors.ts'
import { boundedNames } from './bounded-functions.ts'
import { type Node, nodesIn, orderedColumns } from './ordered-columns.ts'

/** A table as the statement names it: by its id, or as `"in.c-main"."orders"`. */
export interface NamedTable {
  schema: string | undefined
  name: string
  tableId: string
}

/** What a statement may read, found in its syntax tree. */
export interface Statement {
  tables: NamedTable[]
  /** Whether a column of this name may be read. */
  mayRead(column: string): boolean
  /** Whether its answer depends on the order of this column's values as they are stored. */
  orders(column: string): boolean
  /** The statement shows rows of its one table as they lie: the first ones are enough, so many or as many as are asked for. */
  firstRows?: { count: number | undefined }
}

/** What DuckDB's `json_serialize_sql` answers. */
const serialized = z.discriminatedUnion('error', [
  z.object({ error: z.literal(true), error_type: z.string(), error_message: z.string() }),
  z.object({ error: z.literal(false), statements: z.array(z.object({ node: z.looseObject({}) })) }),
])

/** Everything else that stands where a table may stand reads files, settings or the catalogue of the database. */
const TABLE_FUNCTIONS = new Set(['generate_series', 'json_each', 'json_tree', 'range', 'unnest'])

/**
 * These tell about the process, write, sleep, or make a list as long as a number says, whose memory DuckDB does not count; `stats` tells
 * of rows that an alias does not show.
 */
const REFUSED_FUNCTIONS = new Set([
  ...['current_setting', 'getenv', 'getvariable', 'write_log', 'sleep_ms', 'stats'],
  ...['array_resize', 'generate_series', 'list_resize', 'range'],
])

/** A width in a format: of more than three digits, from an argument, or nested. */
const WIDE_FORMAT = /\d{4}|%[^a-z%]*\*|\{[^}]*\{/
const MAX_REPLACEMENT = 64

/** A name that DuckDB would not take for that of a file. */
const LOCAL_NAME = /^[\p{L}_][\p{L}\p{N}_ -]*$/u

/**
 * Reads the syntax tree of one query. Whatever reads anything but the tables that it names is refused here, before a
 * statement is run.
 *
 * Error: 400 `storage.query.invalid`.
 */
export const readStatement = (answer: unknown): Statement => {
  const read = serialized.parse(answer)
  if (read.error)
    throw invalidQuery(
      read.error_type === 'not implemented'
        ? 'Only queries are run (SELECT, WITH, VALUES, DESCRIBE, SUMMARIZE): tables are changed by imports.'
        : read.error_message,
    )
  const [statement, ...others] = read.statements
  if (!statement || others.length > 0)
    throw invalidQuery(`Give one query; these are ${read.statements.length} statements.`)
  const nodes = [...nodesIn(statement.node)]
  const local = localNames(nodes)
  const asTables = new Set(
    nodes.flatMap(({ type, function: called }) => (type === 'TABLE_FUNCTION' ? [called] : [])),
  )
  for (const node of nodes) {
    refuseOthers(node)
    if (node['class'] === 'FUNCTION' && !asTables.has(node)) refuseFunction(node)
  }
  const tables = tablesIn(nodes, local)
  const firstRows = tables.length === 1 && local.size === 0 ? shownAsTheyLie(statement.node) : undefined
  const orders = orderedColumns(nodes)
  return { tables, mayRead: columnFilter(nodes, tables), orders, ...(firstRows && { firstRows }) }
}

export const invalidQuery = (message: string, cause?: unknown): UserError =>
  new UserError('storage.query.invalid', message, { cause })

/** Names that WITH gives, in lower case. */
const localNames = (nodes: readonly Node[]): ReadonlySet<string> => {
  const names = nodes.flatMap(({ cte_map }) =>
    [...nodesIn(cte_map)].flatMap(({ key }) => (typeof key === 'string' ? [key] : [])),
  )
  const odd = names.find(name => !LOCAL_NAME.test(name))
  if (odd !== undefined)
    throw invalidQuery(`${JSON.stringify(odd)} cannot be a name of WITH: use letters and digits.`)
  return new Set(names.map(name => name.toLowerCase()))
}

/** A text and no calculation, as far as the statement says it. */
const literal = z.object({ class: z.literal('CONSTANT'), value: z.object({ value: z.string() }) })

const refuseFunction = (node: Node): void => {
  const name = String(node['function_name']).toLowerCase()
  if (REFUSED_FUNCTIONS.has(name))
    throw invalidQuery(
      `The function ${name} is not available.${TABLE_FUNCTIONS.has(name) ? ` Read from it: FROM ${name}(…).` : ''}`,
    )
  if (boundedNames.has(name) && (node['schema'] || node['catalog']))
    throw invalidQuery(`Write ${name} without a schema.`)
  const given = Array.isArray(node['children']) ? node['children'] : []
  const textAt = (place: number) => literal.safeParse(given[place]).data?.value.value
  if (['format', 'printf'].includes(name) && WIDE_FORMAT.test(textAt(0) ?? '{{'))
    throw invalidQuery(`The format of ${name} must be a text with widths below 1000.`)
  if (name === 'regexp_replace' && (textAt(2)?.length ?? Infinity) > MAX_REPLACEMENT)
    throw invalidQuery(`The replacement of ${name} must be a text of at most ${MAX_REPLACEMENT} characters.`)
}

const refuseOthers = (node: Node): void => {
  if (node['type'] === 'TABLE_FUNCTION') {
    const [called] = [...nodesIn(node['function'])]
    const table = String(called?.['function_name'] ?? '').toLowerCase()
    if (!TABLE_FUNCTIONS.has(table))
      throw invalidQuery(`${table} cannot be read from: a query reads tables, named like in.c-main.orders.`)
  }
  if (node['type'] === 'SHOW_REF' && !['DESCRIBE', 'SUMMARY'].includes(String(node['show_type'])))
    throw invalidQuery('SHOW is not available. Tables are listed by GET /v2/storage/tables.')
}

const tablesIn = (nodes: readonly Node[], local: ReadonlySet<string>): NamedTable[] => {
  const tables = new Map<string, NamedTable>()
  for (const { type, catalog_name, schema_name, table_name } of nodes) {
    if (type !== 'BASE_TABLE' || typeof table_name !== 'string') continue
    const schema = typeof schema_name === 'string' ? schema_name : undefined
    if (schema === undefined && local.has(table_name.toLowerCase())) continue
    const tableId = schema === undefined ? table_name : `${schema}.${table_name}`
    if (catalog_name !== undefined || !/^[^.]+\.[^.]+\.[^.]+$/.test(tableId))
      throw invalidQuery(
        `There is no table ${JSON.stringify(tableId)}: tables are named like in.c-main.orders.`,
      )
    tables.set(JSON.stringify([schema, table_name]), { schema, name: table_name, tableId })
  }
  return [...tables.values()]
}

/** Too many columns cost time, one too few would be an error of the query: so every word of the statement counts. */
const columnFilter = (nodes: readonly Node[], tables: readonly NamedTable[]): Statement['mayRead'] => {
  const words = new Set<string>()
  for (const node of nodes)
    for (const value of Object.values(node))
      for (const word of Array.isArray(value) ? value : [value])
        if (typeof word === 'string') words.add(word.toLowerCase())
  const aliases = nodes.flatMap(({ type, alias }) => (type === 'BASE_TABLE' && alias ? [String(alias)] : []))
  const wholeRows = new Set([...tables.map(({ name }) => name), ...aliases].map(name => name.toLowerCase()))
  const readsAll = nodes.some(node => {
    const names = node['column_names']
    if (Array.isArray(names)) return wholeRows.has(String(names.at(-1)).toLowerCase())
    return (
      ['STAR', 'POSITIONAL_REFERENCE', 'PIVOT', 'SHOW_REF'].includes(String(node['type'])) ||
      node['ref_type'] === 'NATURAL'
    )
  })
  return column => readsAll || words.has(column.toLowerCase())
}

const PLAIN_PARTS = new Set([
  'type',
  'modifiers',
  'cte_map',
  'select_list',
  'from_table',
  'aggregate_handling',
])
const PLAIN_VALUES = new Set(['STAR', 'COLUMN_REF', 'CONSTANT', 'CAST'])

/** `SELECT a, b FROM t LIMIT 10 OFFSET 5`: 15 rows. */
const shownAsTheyLie = (node: Node): Statement['firstRows'] => {
  const { type, modifiers = [], select_list, from_table } = node
  const isPlain =
    type === 'SELECT_NODE' &&
    Object.keys(node).every(part => PLAIN_PARTS.has(part)) &&
    Array.isArray(select_list) &&
    [...nodesIn(select_list)].every(
      part => part['class'] === undefined || PLAIN_VALUES.has(String(part['class'])),
    ) &&
    (from_table as Node | undefined)?.['type'] === 'BASE_TABLE' &&
    (from_table as Node)['sample'] === undefined
  if (!isPlain || !Array.isArray(modifiers) || modifiers.length > 1) return undefined
  const [modifier] = modifiers
  if (modifier === undefined) return { count: undefined }
  const limit = plainLimit.safeParse(modifier)
  if (!limit.success) return undefined
  return { count: limit.data.limit.value.value + (limit.data.offset?.value.value ?? 0) }
}

const constant = z.object({ class: z.literal('CONSTANT'), value: z.object({ value: z.int().nonnegative() }) })
const plainLimit = z.object({
  type: z.literal('LIMIT_MODIFIER'),
  limit: constant,
  offset: constant.optional(),
})
