import { TrinoSQL } from 'dt-sql-parser'

const parser = new TrinoSQL()

/** What the grammar of Trino does not take in a statement, as one line each. Empty: it is right. */
export const trinoErrors = (statement: string): string[] =>
  parser
    .validate(statement)
    .map(({ message, startLine, startColumn }) => `${startLine}:${startColumn} ${message}`)
