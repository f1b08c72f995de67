import { ServiceError } from '../control/service-error.ts'
import { type Merge, parseMerge, type TableName } from './parse-merge.ts'

/** A statement of ours: the table that it changes, and those that it reads. */
export interface Statement {
  target: TableName
  reads: TableName[]
  /** Of a MERGE. Otherwise it is an OPTIMIZE. */
  merge?: Merge
}

const optimize = /^OPTIMIZE ([a-z0-9_]+)\.([a-z0-9_]+) REWRITE DATA USING BIN_PACK$/

/** Reads a statement that Millrace writes. Any other one is refused, with its beginning. */
export const parseStatement = (text: string): Statement => {
  const [, database, name] = optimize.exec(text) ?? []
  if (database !== undefined && name !== undefined)
    return { target: { database, name }, reads: [{ database, name }] }
  const merge = parseMerge(text)
  if (merge) return { target: merge.target, reads: [merge.staging, merge.target], merge }
  throw new ServiceError(
    'InvalidRequestException',
    `The one-machine cloud runs the statements that Millrace writes, and no others: ${JSON.stringify(text.slice(0, 200))}`,
  )
}
