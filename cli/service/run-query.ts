import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance, StatementType } from '@duckdb/node-api'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { formatRecord } from '../../functions/lib/table-engine/csv/format-records.ts'
import { quoteIdentifier, quoteList, quoteLiteral } from '../../functions/lib/table-engine/sql.ts'
import type { StorageAddress } from '../find-storage.ts'
import { formatTable } from '../output/format-table.ts'
import type { Output } from '../output/output.ts'
import { printableLines } from '../output/printable.ts'
import type { Shell } from '../shell.ts'
import { connectStorage } from '../transfer/connect-storage.ts'
import { downloadToPath } from '../transfer/download-file.ts'
import { progressIn } from '../transfer/progress.ts'
import { exportTable } from '../transfer/run-download.ts'
import type { QueryFormat } from './query-formats.ts'
import { findTables } from './table-names.ts'

interface Query {
  sql: string
  format: QueryFormat
  /** Default: standard output. */
  outputPath: string | undefined
  /** Reads cells by what they look like. Default: as text. */
  detectsTypes: boolean
}

/** A terminal shows no more rows than these; files and other formats hold all. */
const MAX_TABLE_ROWS = 10_000

/**
 * Downloads the tables of a query, runs it in a database of its own that can neither write nor reach anything else, and
 * writes the result. Error: `cli.query`.
 */
export const runQuery = async (
  { sql: given, format, outputPath, detectsTypes }: Query,
  { address, out, shell }: { address: StorageAddress; out: Output; shell: Shell },
): Promise<void> => {
  const { sql, tableIds } = findTables(given)
  const folder = await mkdtemp(join(tmpdir(), 'millrace-query-'))
  try {
    const files = await downloadTables(tableIds, folder, { address, shell })
    const instance = await DuckDBInstance.create(':memory:', {
      temp_directory: join(folder, 'spill'),
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
    })
    const connection = await instance.connect()
    try {
      for (const { tableId, path } of files)
        await connection.run(
          `CREATE VIEW ${quoteIdentifier(tableId)} AS SELECT * FROM read_csv(${quoteLiteral(path)}, header = true, ` +
            `delim = ',', quote = '"', escape = '"', strict_mode = false, allow_quoted_nulls = false, ` +
            `${detectsTypes ? 'sample_size = -1' : 'all_varchar = true'})`,
        )
      await confine(connection, folder)
      await requireQuery(connection, sql)
      await write(connection, { sql, format, outputPath, folder }, { out, shell })
    } finally {
      connection.closeSync()
      instance.closeSync()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const downloadTables = async (
  tableIds: readonly string[],
  folder: string,
  { address, shell }: { address: StorageAddress; shell: Shell },
) => {
  const connection = connectStorage(address)
  try {
    const files: { tableId: string; path: string }[] = []
    for (const [index, tableId] of tableIds.entries()) {
      const source = await exportTable(connection, tableId, { header: true })
      const path = join(folder, `table${index}.csv`)
      await downloadToPath(path, tableId, { connection, ...source, startProgress: progressIn(shell) })
      files.push({ tableId, path })
    }
    return files
  } finally {
    connection.close()
  }
}

/** After this no statement reads or writes outside the folder, or changes a setting. */
const confine = async (connection: DuckDBConnection, folder: string): Promise<void> => {
  await connection.run(`SET allowed_directories = ${quoteList([folder])}`)
  await connection.run('SET enable_external_access = false')
  await connection.run('SET lock_configuration = true')
}

const queries: ReadonlySet<StatementType> = new Set([
  StatementType.SELECT,
  StatementType.EXPLAIN,
  StatementType.RELATION,
])

/** Refuses what is not one query. */
const requireQuery = async (connection: DuckDBConnection, sql: string): Promise<void> => {
  const statements = await asUserError(() => connection.extractStatements(sql))
  if (statements.count !== 1)
    throw new UserError('cli.query', `Give one query; these are ${statements.count} statements.`)
  const prepared = await asUserError(() => statements.prepare(0))
  try {
    if (!queries.has(prepared.statementType))
      throw new UserError('cli.query', 'Only queries are run: tables are changed by imports.')
  } finally {
    prepared.destroySync()
  }
}

const asUserError = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  try {
    return await work()
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause)
    const hint = /No function matches|Cannot compare values of type/.test(message)
      ? '\nCells are text: cast them, as in total::DOUBLE, or give --detect-types.'
      : ''
    throw new UserError('cli.query', `${message}${hint}`, { cause })
  }
}

const write = async (
  connection: DuckDBConnection,
  { sql, format, outputPath, folder }: Omit<Query, 'detectsTypes'> & { folder: string },
  { out, shell: { stdout } }: { out: Output; shell: Shell },
): Promise<void> => {
  if (format === 'parquet' && outputPath !== undefined) {
    const temporary = join(folder, 'result.parquet')
    const query = sql.trim().replace(/;\s*$/, '')
    await asUserError(() =>
      connection.run(`COPY (${query}\n) TO ${quoteLiteral(temporary)} (FORMAT parquet)`),
    )
    await copyFile(temporary, outputPath)
    return out.say(`${outputPath} is written.`)
  }
  const reader = await asUserError(() => connection.runAndReadAll(sql))
  const columns = reader.deduplicatedColumnNames()
  const rows = reader.getRowsJson()
  const texts = () => rows.map(row => row.map(cell => (cell === null ? '' : textOf(cell))))
  const content = {
    csv: () => [columns, ...texts()].map(formatRecord).join(''),
    json: () => `${JSON.stringify(reader.getRowObjectsJson(), null, 2)}\n`,
    parquet: () => '',
    table: () => {
      const width = stdout.isTTY && outputPath === undefined ? stdout.columns : undefined
      return formatTable(columns, texts().slice(0, MAX_TABLE_ROWS), { width })
    },
  }[format]()
  if (outputPath !== undefined) {
    await writeFile(outputPath, content)
    return out.say(`${outputPath}: ${rows.length} rows`)
  }
  stdout.write(stdout.isTTY ? printableLines(content) : content)
  if (format === 'table' && rows.length > MAX_TABLE_ROWS)
    out.say(`The first ${MAX_TABLE_ROWS} of ${rows.length} rows: --format csv prints all.`)
}

const textOf = (cell: unknown): string => (typeof cell === 'string' ? cell : JSON.stringify(cell))
