import { createReadStream } from 'node:fs'
import { parse } from 'csv-parse'
import { z } from 'zod'
import { UserError } from '../lib/errors/errors.ts'
import { isMissing } from '../lib/paths/is-missing.ts'
import { isFileName, pathInside } from '../lib/paths/path-inside.ts'

const fromTable = z.strictObject({ table: z.string().min(1) })

/** Each iteration logs in anew and is part of every checkpoint. */
const MAX_ITERATIONS = 5_000

/**
 * `parameters.iterations` may be `{ "table": "<file in in/tables>" }`: one iteration for each row of an input table, the
 * columns as attributes of `config`. A list is Generic Extractor's form and stays as it is.
 *
 * Throws `UserError` `extractor.run.iterations` when the table is not in the input mapping or has too many rows.
 */
export const withTableIterations = async (
  config: Record<string, unknown>,
  inputFolder: string,
): Promise<Record<string, unknown>> => {
  const { parameters } = config
  if (typeof parameters !== 'object' || parameters === null || !('iterations' in parameters)) return config
  const given = fromTable.safeParse(parameters.iterations)
  if (!given.success) return config
  const iterations = await readRows(inputFolder, given.data.table)
  return { ...config, parameters: { ...parameters, iterations } }
}

const readRows = async (folder: string, table: string): Promise<unknown[]> => {
  if (!isFileName(table)) throw noSuchTable(table)
  const rows: unknown[] = []
  try {
    for await (const row of createReadStream(pathInside(folder, table)).pipe(parse({ columns: true }))) {
      if (rows.push(row) > MAX_ITERATIONS)
        throw new UserError(
          'extractor.run.iterations',
          `The table "${table}" has more than ${MAX_ITERATIONS} rows, which is too many to iterate over. Narrow it in the input mapping.`,
        )
    }
  } catch (error) {
    throw isMissing(error) ? noSuchTable(table) : error
  }
  return rows
}

const noSuchTable = (table: string) =>
  new UserError(
    'extractor.run.iterations',
    `"parameters.iterations" names the table "${table}", which is no destination of storage.input.tables.`,
  )
