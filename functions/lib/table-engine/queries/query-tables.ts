import { stat } from 'node:fs/promises'
import { UserError } from '../../errors/errors.ts'
import type { FirstRows, ShownRows } from '../duckdb/duckdb-session.ts'
import { parquetForm, quoteColumn, readParquet } from '../duckdb/parquet-sql.ts'
import { quoteIdentifier, quoteLiteral } from '../duckdb/sql.ts'
import type { EngineContext } from '../files/engine-context.ts'
import { columnNames, liveRows, type Snapshot, type TableField, textColumns } from '../files/snapshot.ts'
import { findFiles, neededColumns } from '../rows/find-rows.ts'
import { closeFiles, type IndexedFile, openFiles } from '../rows/open-files.ts'
import { bytesOfFiles } from '../rows/read-limit.ts'
import { conditionsSql, type RowConditions } from '../rows/row-conditions.ts'
import { scanFiles, type WantedColumns } from '../rows/scan-files.ts'
import { duckDbType, isTyped } from '../types/field-type.ts'
import { detectColumns, misorderedNumbers } from './detect-columns.ts'
import { invalidQuery, refusedByEngine } from './engine-messages.ts'
import { BoxEnded } from './open-box.ts'
import { type NamedTable, readStatement, type Statement } from './read-statement.ts'

/** The rows of a table, or of an alias: those of its source that fulfil its conditions. */
interface QueriedTable {
  snapshot: Snapshot
  query: RowConditions & { columns?: string[] }
}

export interface TableQuery {
  /** One query in the SQL of DuckDB. */
  sql: string
  /** Finds a table that the query names, or throws: whether the caller may read it is decided here. */
  find: (tableId: string) => Promise<QueriedTable>
  /** One query of each is run at a time. */
  asker: string
  /** Of the columns that the query reads, as stored. */
  maxBytes: number
  /** Reads texts that are all numbers, dates or times as such. Default: as texts, as they are stored. */
  detectsTypes: boolean
  /** Ends the query with `storage.query.tooLong`. */
  signal: AbortSignal
}

/** What a query read. */
export interface QueryReads {
  tables: { tableId: string; columns: string[]; bytes: number }[]
  /** Of numbers that it compared by their letters. */
  warnings: string[]
}

/** See `TableEngine.query`. */
export const queryTables = async (
  context: EngineContext,
  { most, ...query }: TableQuery & { most: ShownRows },
): Promise<QueryReads & FirstRows> => {
  const { reads, result } = await onViews(context, query, most.rows + 1, sql =>
    context.session.first(sql, most),
  )
  return { ...result, ...reads }
}

/** See `TableEngine.queryToFile`. */
export const queryToFile = async (
  context: EngineContext,
  { format, ...query }: TableQuery & { format: keyof typeof FILE_OPTIONS },
  show: (path: string) => Promise<void>,
): Promise<QueryReads> => {
  const { session } = context
  const path = session.scratchPath('result')
  const { reads } = await onViews(context, query, Infinity, async sql => {
    const copy = `COPY ${inBrackets(sql)} TO ${quoteLiteral(path)} (${FILE_OPTIONS[format]})`
    // Rows of text stand in the order in which the query finds them.
    await (format === 'parquet' ? session.query(copy) : session.runInOrder(copy))
    if ((await stat(path)).size > MAX_FILE_BYTES) throw largeResult()
  })
  await show(path)
  return reads
}

const MAX_FILE_BYTES = 256 * 1024 ** 2

const largeResult = (cause?: Error): UserError =>
  refused(
    'storage.query.tooLarge',
    `The result has more than ${MAX_FILE_BYTES} bytes, and is not kept: choose fewer rows or columns`,
    { cause },
  )

/** The statement may end in a comment. */
const inBrackets = (sql: string): string => `(${sql.replace(/;\s*$/, '')}\n)`

const FILE_OPTIONS = {
  csv: 'FORMAT csv, HEADER, FORCE_QUOTE *',
  jsonl: 'FORMAT json',
  parquet: parquetForm(),
} as const

/** Runs the statement where its tables are views of what the caller may read. */
const onViews = async <Result>(
  context: EngineContext,
  query: TableQuery,
  wantedRows: number,
  run: (sql: string) => Promise<Result>,
): Promise<{ reads: QueryReads; result: Result }> => {
  const sql = quoteTableIds(query.sql)
  const statement = await readSql(context, sql)
  const tables: PlannedTable[] = []
  for (const named of statement.tables) tables.push(await planTable(named, statement, query, wantedRows))
  const bytes = tables.reduce((sum, table) => sum + table.bytes, 0)
  if (bytes > query.maxBytes) throw tooLarge(bytes, query.maxBytes)
  await context.session.fitTo(Math.max(1, ...tables.map(({ wanted }) => wanted.fields.length)))
  // The files of all tables lie in one folder, named after their numbers.
  let first = 0
  const warnings: string[] = []
  for (const table of tables) {
    const files = table.files.map(({ file }, place) => ({ file, index: first + place }))
    warnings.push(...(await makeView(context, { ...table, files }, query)))
    first += files.length
  }
  const result = await asked(sql, () => run(sql))
  const reads = tables.map(({ named, columns, bytes }) => ({ tableId: named.tableId, columns, bytes }))
  return { reads: { tables: reads, warnings }, result }
}

/** In characters. What reads it keeps others waiting. */
const MAX_TREE = 4 * 1024 ** 2

const readSql = async ({ session }: EngineContext, sql: string): Promise<Statement> => {
  if (sql.includes('\0')) throw invalidQuery('A query cannot hold a NUL character.')
  return asked(sql, async () => {
    const [[answer] = []] = await session.query(
      `SELECT json_serialize_sql(${quoteLiteral(sql)}, skip_empty := true, skip_null := true, skip_default := true)::VARCHAR`,
    )
    const tree = String(answer)
    if (tree.length > MAX_TREE)
      throw invalidQuery('The query has too many parts: load its values as a table.')
    return readStatement(JSON.parse(tree))
  })
}

interface PlannedTable {
  named: NamedTable
  snapshot: Snapshot
  columns: string[]
  /** Default: its rows are all shown. */
  conditions: string | undefined
  wanted: WantedColumns
  files: IndexedFile[]
  bytes: number
  orders: Statement['orders']
}

const planTable = async (
  named: NamedTable,
  { mayRead, firstRows, orders }: Statement,
  { find }: TableQuery,
  wantedRows: number,
): Promise<PlannedTable> => {
  const { snapshot, query } = await find(named.tableId)
  const shown = query.columns ?? columnNames(snapshot)
  const read = shown.filter(mayRead)
  // Rows are counted by any column.
  const columns = read.length > 0 ? read : shown.slice(0, 1)
  const wanted = neededColumns(snapshot, { ...query, columns })
  const found = findFiles(snapshot, query)
  const conditions = conditionsSql(query, snapshot)
  const enough = firstRows && conditions === undefined ? (firstRows.count ?? wantedRows) : Infinity
  const files = firstFiles(found, enough)
  const bytes = bytesOfFiles(
    files.map(({ file }) => file),
    wanted,
  )
  return { named, snapshot, columns, conditions, wanted, files, bytes, orders }
}

/** Files that hold so many live rows together. */
const firstFiles = (files: IndexedFile[], rows: number): IndexedFile[] => {
  let held = 0
  return files.filter(({ file }) => {
    const isNeeded = held < rows
    held += liveRows(file)
    return isNeeded
  })
}

/** The table under the name that the statement gives it. It shows the columns that the statement may read, and no others. Resolves to warnings. */
const makeView = async (
  context: EngineContext,
  { named: { schema, name, tableId }, snapshot, columns, conditions, wanted, files, orders }: PlannedTable,
  { detectsTypes }: TableQuery,
): Promise<string[]> => {
  const { session } = context
  const sources = await openFiles(context, { files, wanted })
  const live =
    sources.length > 0
      ? `(${scanFiles(sources, wanted)}) WHERE ${conditions ?? 'true'}`
      : `(SELECT ${wanted.fields.map(emptyColumn).join(', ')}) WHERE false`
  let rows = live
  // DuckDB may evaluate the caller's expressions before any condition around the rows. So rows that they must not see go first.
  if (conditions !== undefined || files.some(({ file }) => file.deletes)) {
    const path = session.scratchPath(`shown-${tableId}`)
    rows = readParquet([path])
    await session.query(
      `COPY (SELECT ${columns.map(quoteColumn).join(', ')} FROM ${live}) TO ${quoteLiteral(path)} (${parquetForm(columns.length)})`,
    )
    await closeFiles(sources)
  }
  const texts = textColumns(snapshot, columns)
  const detected = detectsTypes ? await detectColumns(session, texts, rows) : new Map<string, string>()
  const shown = columns.map(column => {
    const type = detected.get(column)
    const value = quoteColumn(column)
    return `${type ? `CAST(nullif(${value}, '') AS ${type})` : value} AS ${quoteIdentifier(column)}`
  })
  if (schema !== undefined) await session.query(`CREATE SCHEMA IF NOT EXISTS ${quoteIdentifier(schema)}`)
  const view = [...(schema === undefined ? [] : [schema]), name].map(quoteIdentifier).join('.')
  await session.query(`CREATE VIEW ${view} AS SELECT ${shown.join(', ')} FROM ${rows}`)
  const ordered = texts.filter(column => !detected.has(column) && orders(column))
  return (await misorderedNumbers(session, ordered, rows)).map(
    column =>
      `${column} of ${tableId} has numbers as text, in the order of their letters ("9" is above "10"): write ${quoteIdentifier(column)}::DOUBLE, or have types detected.`,
  )
}

const emptyColumn = (field: TableField): string =>
  `NULL::${isTyped(field) ? duckDbType(field.type) : 'VARCHAR'} AS ${quoteColumn(field.name)}`

/** What DuckDB refuses of a caller's statement is the caller's to mend. */
const asked = async <Result>(sql: string, work: () => Promise<Result>): Promise<Result> => {
  try {
    return await work()
  } catch (cause) {
    throw (cause instanceof Error && !(cause instanceof UserError) && refusedByEngine(cause, sql)) || cause
  }
}

/** What comes of a query that passes a bound. */
export const withinBounds = async <Result>(
  { signal }: TableQuery,
  work: () => Promise<Result>,
): Promise<Result> => {
  try {
    return await work()
  } catch (cause) {
    if (!(cause instanceof Error) || cause instanceof UserError) throw cause
    if (signal.aborted)
      throw refused('storage.query.tooLong', 'The query took longer than a request may. Read less', { cause })
    if (/^IO Error: .*File too large/s.test(cause.message)) throw largeResult(cause)
    if (cause instanceof BoxEnded || /^Out of Memory Error|bad_alloc/.test(cause.message))
      throw refused(
        'storage.query.tooLarge',
        'The query needs more memory than there is for it: make shorter texts and lists, group or join by fewer values',
        { cause },
      )
    throw cause
  }
}

const refused = (
  code: 'storage.query.tooLarge' | 'storage.query.tooLong',
  what: string,
  more: { cause?: Error | undefined; params?: Record<string, number> },
) => new UserError(code, `${what}, or ask an engine that reads the tables themselves (docs/query.md).`, more)

const tooLarge = (bytes: number, maxBytes: number): UserError =>
  refused(
    'storage.query.tooLarge',
    `The query counts as ${bytes} bytes of its tables, with 1 MiB for each file, and at most ${maxBytes} are read. Name fewer columns or tables`,
    { params: { bytes, maxBytes } },
  )

/** `in.c-main.orders`, bare, or the database before a name. Strings, comments and quoted names are passed over, to the end where they are not closed. */
const TOKEN =
  /(?<![\w.$"])(?<database>"project_\d+"\.|project_\d+\.)(?="(?:[^"]|"")*"\.")|'(?:[^']|'')*(?:'|$)|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|"(?:[^"]|"")*(?:"|$)|(?<![\w.$-])(?<bare>(?:in|out)\.[A-Za-z0-9_-]+\.[A-Za-z0-9_]+(?:-[A-Za-z0-9_]+)*)(?![\w.])/gi

/** The statement with the ids of its tables as names that DuckDB reads, and without the one database that there is. */
const quoteTableIds = (sql: string): string =>
  sql.replace(TOKEN, (text, ...rest) => {
    const { bare, database } = rest.at(-1) as { bare?: string; database?: string } // The groups of the pattern.
    if (database !== undefined) return ''
    return bare === undefined ? text : `"${bare}"`
  })
