import { z } from 'zod'
import { mayCall } from './allowed-functions.ts'
import { invalidQuery } from './engine-messages.ts'
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

/** Expressions, and all else that has a type of its own in a syntax tree. */
const EXPRESSIONS =
  /^(?:BETWEEN|CASE|CAST|COLLATE|COLUMN_REF|COMPARISON|CONJUNCTION|CONSTANT|FUNCTION|LAMBDA|OPERATOR|POSITIONAL_REFERENCE|STAR|SUBQUERY|WINDOW)$/
const OTHERS =
  /^(?:BASE_TABLE|EMPTY|EXPRESSION_LIST|JOIN|PIVOT|SHOW_REF|SUBQUERY|TABLE_FUNCTION|(?:SELECT|SET_OPERATION|RECURSIVE_CTE)_NODE|\w+_MODIFIER|\w+_TYPE_INFO|ORDER_DEFAULT|ASCENDING|DESCENDING)$/

/** A name that DuckDB would not take for that of a file. */
const LOCAL_NAME = /^[\p{L}_][\p{L}\p{N}_ -]*$/u

/**
 * Reads the syntax tree of one query. Whatever reads anything but the tables that it names is refused here, before a
 * statement is run.
 *
 * Error: 400 `storage.query.invalid`; DuckDB's own when it cannot parse it.
 */
export const readStatement = (answer: unknown): Statement => {
  const read = serialized.parse(answer)
  if (read.error)
    throw read.error_type === 'not implemented'
      ? invalidQuery(
          'Only queries are run (SELECT, WITH, VALUES, DESCRIBE, SUMMARIZE): tables are changed by imports.',
        )
      : new Error(`Parser Error: ${read.error_message}`)
  const [statement, ...others] = read.statements
  if (!statement || others.length > 0)
    throw invalidQuery(`Give one query; these are ${read.statements.length} statements.`)
  const nodes = [...nodesIn(statement.node)]
  for (const node of nodes) refuseOthers(node)
  const found = new Map<string, NamedTable>()
  findTables(statement.node, new Set(), found)
  const tables = [...found.values()]
  const firstRows = shownAsTheyLie(statement.node)
  const orders = orderedColumns(nodes)
  return { tables, mayRead: columnFilter(nodes, tables), orders, ...(firstRows && { firstRows }) }
}

/** As DuckDB compares names: it knows the upper case of ASCII alone. */
const folded = (name: string): string => name.replace(/[A-Z]/g, letter => letter.toLowerCase())

const named = z.array(z.object({ key: z.string(), value: z.unknown() }))

/**
 * Finds the tables in a part of a syntax tree, where `names` of WITH count. Each name counts in the names after it and in the node that it
 * belongs to, a recursive one in the recursive part of its own, and nowhere else: there DuckDB would read its catalogue.
 */
const findTables = (part: unknown, names: ReadonlySet<string>, found: Map<string, NamedTable>): void => {
  if (typeof part !== 'object' || part === null) return
  if (Array.isArray(part)) {
    for (const one of part) findTables(one, names, found)
    return
  }
  const { cte_map, ...node } = part as Node
  let inside = names
  if (cte_map !== undefined) {
    const added = new Set(names)
    for (const { key, value } of named.parse((cte_map as Node)['map'])) {
      if (!LOCAL_NAME.test(key))
        throw invalidQuery(`${JSON.stringify(key)} cannot be a name of WITH: use letters and digits.`)
      findTables(value, added, found)
      added.add(folded(key))
    }
    inside = added
  }
  if (node['type'] === 'BASE_TABLE') addTable(node, inside, found)
  const recursive = node['type'] === 'RECURSIVE_CTE_NODE' ? folded(String(node['cte_name'])) : undefined
  for (const [name, value] of Object.entries(node)) {
    const isRecursive = recursive !== undefined && name === 'right'
    findTables(value, isRecursive ? inside.union(new Set([recursive])) : inside, found)
  }
}

const addTable = (node: Node, names: ReadonlySet<string>, found: Map<string, NamedTable>): void => {
  const { catalog_name, schema_name, table_name, at_clause } = node
  const name = String(table_name)
  const schema = typeof schema_name === 'string' ? schema_name : undefined
  const tableId = schema === undefined ? name : `${schema}.${name}`
  if (at_clause !== undefined)
    throw invalidQuery('There is no time travel in a query: restore the table as of then.')
  if (schema === undefined && catalog_name === undefined && names.has(folded(name))) return
  if (catalog_name !== undefined || !/^[^.]+\.[^.]+\.[^.]+$/.test(tableId))
    throw invalidQuery(
      `There is no table ${JSON.stringify(tableId)}: tables are named like in.c-main.orders.`,
    )
  found.set(JSON.stringify([schema, name]), { schema, name, tableId })
}

const refuseOthers = (node: Node): void => {
  const { class: expression, type, function_name } = node
  if (
    typeof expression === 'string'
      ? !EXPRESSIONS.test(expression)
      : typeof type === 'string' && !OTHERS.test(type)
  )
    throw invalidQuery(
      expression === 'PARAMETER'
        ? 'A query has no parameter: write the value.'
        : `The query holds what is not read here: ${String(expression ?? type).toLowerCase()}.`,
    )
  if (type === 'TABLE_FUNCTION') {
    const [called] = nodesIn(node['function'])
    const table = String(called?.['function_name'] ?? '').toLowerCase()
    if (!TABLE_FUNCTIONS.has(table))
      throw invalidQuery(`${table} cannot be read from: a query reads tables, named like in.c-main.orders.`)
  }
  if (typeof function_name === 'string' && !mayCall(function_name))
    throw invalidQuery(`The function ${function_name} is not available.`)
  if (type === 'SHOW_REF' && !['DESCRIBE', 'SUMMARY'].includes(String(node['show_type'])))
    throw invalidQuery('SHOW is not available. Tables are listed by GET /v2/storage/tables.')
}

/** Too many columns cost time, one too few would be an error of the query: so every word of the statement counts. Keys of its tree keep their colon. */
const columnFilter = (nodes: readonly Node[], tables: readonly NamedTable[]): Statement['mayRead'] => {
  const words = new Set(
    JSON.stringify(nodes[0])
      .toLowerCase()
      .match(/"(?:[^"\\]|\\.)*":?/g),
  )
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
  return column => readsAll || words.has(JSON.stringify(column).toLowerCase())
}

const PLAIN_PARTS = new Set(['type', 'modifiers', 'select_list', 'from_table', 'aggregate_handling'])
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
