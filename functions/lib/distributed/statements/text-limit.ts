import { UserError } from '#lib/errors/errors.ts'

/** Amazon Athena User Guide, "Service Quotas": the text of a query. */
export const MAX_STATEMENT_BYTES = 262_144

/** The statement, when Athena takes it. Error: 400 `storage.tables.distributed.tooManyColumns`. */
export const withinTextLimit = (statement: string): string => {
  const bytes = Buffer.byteLength(statement)
  if (bytes <= MAX_STATEMENT_BYTES) return statement
  throw new UserError(
    'storage.tables.distributed.tooManyColumns',
    `The load is too large for one function, and the table has too many columns with long names for Athena: its query ` +
      `would have ${bytes} bytes of ${MAX_STATEMENT_BYTES}. Load smaller files, or use shorter names.`,
  )
}
