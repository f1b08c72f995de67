import type { GlueTable } from './table-name.ts'

/**
 * Packs small files of a table into large ones, and drops what is deleted in them. Athena only knows this statement, which
 * stands for Trino's `ALTER TABLE … EXECUTE optimize` (Amazon Athena User Guide, "OPTIMIZE"). Its names are written without
 * quotes: ours are lower-case letters, digits and underscores.
 */
export const optimizeStatement = ({ database, name }: GlueTable): string =>
  `OPTIMIZE ${database}.${name} REWRITE DATA USING BIN_PACK`
