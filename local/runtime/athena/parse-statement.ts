import { ServiceError } from '../control/service-error.ts'

/** A table in Glue. */
export interface TableName {
  database: string
  name: string
}

/** A statement of ours: the table that it changes, and those that it reads. */
export interface Statement {
  text: string
  target: TableName
  reads: TableName[]
  /** Of a MERGE: its SELECT of staged rows `s`, and what joins them with rows `t` of the table. Otherwise it is an OPTIMIZE. */
  merge?: { source: string; on: string }
}

const optimize = /^OPTIMIZE (\w+)\.(\w+) REWRITE DATA USING BIN_PACK$/

const table = '"(\\w+)"\\."(\\w+)"'
/** As `functions/lib/distributed/statements.ts` writes it, with values that are columns or times. */
const merge = new RegExp(
  [
    `^MERGE INTO ${table} t`,
    `USING \\((SELECT [^()]+ FROM \\(SELECT [^()]+, row_number\\(\\) OVER \\([^()]+\\) AS place FROM ${table}\\) WHERE place = 1)\\) s`,
    'ON \\((.+?)\\)',
    '(?:WHEN MATCHED AND .+)?WHEN NOT MATCHED THEN INSERT VALUES \\([^()]+\\)$',
  ].join('\n'),
  's',
)

/** Reads a statement that Millrace writes. Any other one is refused, with its beginning. */
export const parseStatement = (text: string): Statement => {
  const [, packedDatabase, packed] = optimize.exec(text) ?? []
  if (packedDatabase !== undefined && packed !== undefined) {
    const target = { database: packedDatabase, name: packed }
    return { text, target, reads: [target] }
  }
  const [found, database = '', name = '', source = '', stagingDatabase = '', staging = '', on = ''] =
    merge.exec(text) ?? []
  if (found !== undefined) {
    const target = { database, name }
    return {
      text,
      target,
      reads: [{ database: stagingDatabase, name: staging }, target],
      merge: { source, on },
    }
  }
  throw new ServiceError(
    'InvalidRequestException',
    `The one-machine cloud runs the statements that Millrace writes, and no others: ${JSON.stringify(text.slice(0, 200))}`,
  )
}
