/** The parts of a MERGE as `functions/lib/distributed/statements/merge-statement.ts` writes it. */
export interface Merge {
  target: TableName
  staging: TableName
  /** A SELECT of staged rows, without parentheses. */
  source: string
  /** Conditions on `t` and `s`, in DuckDB's words. */
  on: string
  changed: string | undefined
  /** Expression by lower-case column. */
  set: ReadonlyMap<string, string>
  /** Expressions in the order of the table's columns. */
  inserted: readonly string[]
}

/** A table in Glue. */
export interface TableName {
  database: string
  name: string
}

const quoted = '"(?:[^"]|"")+"'
const table = `(${quoted})\\.(${quoted})`
const given = 's\\.c\\d+'
const time = "TIMESTAMP '[\\d: .-]+ UTC'"
const stored = `(?:t\\.${quoted}|coalesce\\(t\\.${quoted}, ''\\))`
/** Two values of a key column; NULL equals NULL. */
const zero =
  "(?:''|false|CAST\\(0 AS (?:bigint|double|decimal\\(\\d+, \\d+\\))\\)|DATE '[\\d-]+'|TIMESTAMP '[\\d: .-]+(?: UTC)?')"
const same = `(?:${stored} = ${given}|coalesce\\(${stored}, ${zero}\\) = coalesce\\(${given}, ${zero}\\) AND \\(${stored} IS NULL\\) = \\(${given} IS NULL\\))`
const list = (item: string, separator: string): string => `${item}(?:${separator}${item})*`

const columns = list('c\\d+', ', ')
const order = '"_load_range" DESC, "_load_row" DESC'
const statement = new RegExp(
  [
    `^MERGE INTO ${table} t`,
    `USING \\((SELECT ${columns} FROM \\(SELECT ${columns}, row_number\\(\\) OVER \\(PARTITION BY ${columns} ORDER BY ${order}\\) AS place FROM ${table}\\) WHERE place = 1)\\) s`,
    `ON \\((${list(same, ' AND ')})\\)`,
    `(?:WHEN MATCHED AND \\((${list(`${stored} IS DISTINCT FROM ${given}`, ' OR ')})\\)`,
    `THEN UPDATE SET (${list(`${quoted} = (?:${given}|${time})`, ', ')})`,
    `)?WHEN NOT MATCHED THEN INSERT VALUES \\((${list(`(?:${given}|${time})`, ', ')})\\)$`,
  ].join('\n'),
)
const assignment = new RegExp(`(${quoted}) = (${given}|${time})`, 'g')
const value = new RegExp(`${given}|${time}`, 'g')

const quotedOrTime = new RegExp(`${quoted}|${time}`, 'g')

const unquoted = (identifier = ''): string => identifier.slice(1, -1).replaceAll('""', '"')

/** Reads a MERGE of ours. `undefined`: it is another statement. */
export const parseMerge = (text: string): Merge | undefined => {
  const match = statement.exec(text)
  if (!match) return undefined
  const [
    ,
    database,
    name,
    source = '',
    stagingDatabase,
    stagingName,
    on = '',
    changed,
    set = '',
    inserted = '',
  ] = match
  return {
    target: { database: unquoted(database), name: unquoted(name) },
    staging: { database: unquoted(stagingDatabase), name: unquoted(stagingName) },
    source,
    on: on.replaceAll(quotedOrTime, text => (text.startsWith('"') ? text : duckDbValue(text))),
    changed,
    set: new Map(
      [...set.matchAll(assignment)].map(([, column, expression = '']) => [unquoted(column), expression]),
    ),
    inserted: [...inserted.matchAll(value)].map(([expression]) => expression),
  }
}

/** An expression of ours in DuckDB's words: a time of Trino has a zone. */
export const duckDbValue = (expression: string): string => {
  const [, text] = /^TIMESTAMP '(.+) UTC'$/.exec(expression) ?? []
  if (text === undefined) return expression
  // A Date has milliseconds; the digits of microseconds that follow are zeros (`timestampLiteral`).
  const micros = BigInt(Date.parse(`${text.slice(0, 23).replace(' ', 'T')}Z`)) * 1000n
  return `make_timestamptz(${micros})`
}
