import { quoteIdentifier } from '#lib/table-engine/sql.ts'

/** A table in the Glue Data Catalog. */
export interface GlueTable {
  database: string
  name: string
}

export const quoteTable = ({ database, name }: GlueTable): string =>
  `${quoteIdentifier(database)}.${quoteIdentifier(name)}`
