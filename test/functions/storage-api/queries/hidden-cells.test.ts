import { describe, expect, it } from 'vitest'
import { startTableRoutes } from '#support/table-routes.ts'

/* What the asker may not see is not in reach of his expressions: no cell in an answer, and no answer that depends on one. */

const { service, bucketId, query, tokenFor } = await startTableRoutes()

/** No number, date, pattern, JSON, format, list, name of a part or place of a code, nor in the id of an error, which is hexadecimal. */
const PLANTED = 'PLANTED(7h3a[%{'
const shown = '5,2026-01-01 10:00:00,year,"[1]",1'
const header = 'id,x,d,part,list,n'
const aliases = await service.createBucket('aliases')

const aliasOf = async (name: string, sourceTable: string, more: object): Promise<string> => {
  const asked = { sourceTable, name, ...more }
  const { body } = await service.call('POST', `/v2/storage/buckets/${aliases}/table-aliases`, asked)
  return body.id
}
const rows = `${header}\nshown,${shown}\nhidden,${Array(5).fill(PLANTED).join(',')}\n`
const source = await service.createTable(bucketId, 'planted', rows)
const filtered = await aliasOf('filtered', source, { aliasFilter: { column: 'id', values: ['shown'] } })
const unequal = await aliasOf('unequal', source, {
  aliasFilter: { column: 'id', values: ['hidden'], operator: 'ne' },
})
const whole = await aliasOf('whole', source, {})
const ofAlias = await aliasOf('second', whole, { aliasFilter: { column: 'id', values: ['shown'] } })
expect(ofAlias).toBe(`${aliases}.second`)
const deleted = await service.createTable(
  bucketId,
  'deleted',
  `${rows}${Array.from({ length: 30 }, (_, index) => `more${index},${shown}`).join('\n')}\n`,
)
await service.call('DELETE', `/v2/storage/tables/${deleted}/rows?whereColumn=id&whereValues[]=hidden`)
await service.jobsEnded()
const narrow = await aliasOf('narrow', source, {
  aliasColumns: ['id'],
  aliasFilter: { column: 'id', values: ['shown'] },
})
const unfiltered = await aliasOf('unfiltered', source, { aliasColumns: ['id'] })
const asker = await tokenFor({ [aliases]: 'read', [bucketId]: 'read' })
const outsider = await tokenFor({ [aliases]: 'read' })
const ask = (sql: string, token = asker, more: object = {}) => query({ sql, ...more }, token)

/** Each is well with the rows that are shown. */
const EXPRESSIONS = [
  'x::INT',
  'x::DOUBLE',
  'x::DECIMAL(9,2)',
  'd::TIMESTAMP',
  'd::DATE',
  'list::INT[]',
  'list::JSON',
  'n::BOOLEAN',
  "regexp_full_match('5', x)",
  "regexp_matches('5', x)",
  "regexp_replace('5', x, '')",
  "regexp_extract('5', x)",
  "string_split_regex('5', x)",
  "date_diff(part, DATE '2020-01-01', d::DATE)",
  'date_part(part, d::DATE)',
  'date_trunc(part, d::TIMESTAMP)',
  "strptime(d, '%Y-%m-%d %H:%M:%S')",
  "d LIKE 'a' ESCAPE n",
  'to_base(x::INT, 2)',
  'to_base(5, 2 + (x::INT - 5))',
  'chr(60 + x::INT)',
  "json_extract(list, '$[0]')",
  "list->>'$[0]'",
  'repeat(x, n::INT)',
  'sqrt(x::DOUBLE)',
  'ln(x::DOUBLE)',
  'factorial(x::INT)',
  'printf(x, 1)',
  'format(x, 1)',
  'make_date(2020, n::INT, n::INT)',
  'list_extract([1, 2], n::INT)',
  'x::INT + 2147483640',
  'x::TINYINT',
  "CASE WHEN x = '5' THEN 1 ELSE x::INT END",
  'CASE WHEN x::INT > 1 THEN 1 END',
  '(SELECT x::INT)',
  'x::INT IN (5, 6)',
  'from_base64(repeat(n, 4))',
  'unhex(n)',
  'n::BIT',
  "x COLLATE NOCASE > 'a'",
  'x::UTINYINT',
  'x::INT BETWEEN 1 AND 9',
  'hex(x::INT)',
  'TRY_CAST(x AS INT) + x::INT',
  'coalesce(NULL, x::INT)',
  'NOT n::BOOLEAN',
  '-(x::INT)',
  '~(x::INT)',
]
const STATEMENTS: [string, (table: string) => string][] = [
  ['WHERE', table => `SELECT id FROM ${table} WHERE x::INT = 5 AND id <> 'hidden'`],
  ['ORDER BY', table => `SELECT id FROM ${table} ORDER BY x::INT`],
  ['GROUP BY', table => `SELECT x::INT, count(*) FROM ${table} GROUP BY 1`],
  ['HAVING', table => `SELECT max(x::INT) FROM ${table} HAVING max(x::INT) = 5`],
  ['QUALIFY', table => `SELECT id FROM ${table} QUALIFY row_number() OVER (ORDER BY x::INT) > 0`],
  ['aggregate', table => `SELECT sum(x::INT), string_agg(x::INT::VARCHAR) FROM ${table}`],
  ['FILTER', table => `SELECT count(*) FILTER (x::INT > 1) FROM ${table}`],
  ['LATERAL', table => `SELECT y FROM ${table} t, LATERAL (SELECT t.x::INT AS y)`],
  ['subquery', table => `SELECT id FROM ${table} WHERE x IN (SELECT (x::INT)::VARCHAR FROM ${table})`],
  ['EXISTS', table => `SELECT 1 WHERE EXISTS (SELECT 1 FROM ${table} WHERE x::INT = 5)`],
  ['join', table => `SELECT a.id FROM ${table} a JOIN ${table} b ON a.x::INT = b.x::INT`],
  ['PIVOT', table => `SELECT * FROM (SELECT x::INT AS x, n FROM ${table}) PIVOT (sum(x) FOR n IN ('1'))`],
  ['UNPIVOT', table => `UNPIVOT (SELECT x::INT AS x, n::INT AS n FROM ${table}) ON x, n`],
  ['WITH', table => `WITH t AS MATERIALIZED (SELECT x::INT AS x FROM ${table}) SELECT * FROM t`],
  ['window', table => `SELECT sum(x::INT) OVER (ORDER BY n::INT ROWS n::INT PRECEDING) FROM ${table}`],
  ['lambda', table => `SELECT list_transform([x], v -> v::INT) FROM ${table}`],
  ['scalar subquery', table => `SELECT (SELECT max(x::INT) FROM ${table})`],
  ['set operation', table => `SELECT x::INT FROM ${table} UNION SELECT n::INT FROM ${table}`],
  ['SUMMARIZE', table => `SUMMARIZE SELECT x::INT AS x FROM ${table}`],
  ['DISTINCT ON', table => `SELECT DISTINCT ON (x::INT) id FROM ${table}`],
  ['LIMIT', table => `SELECT id FROM ${table} WHERE x::INT = 5 LIMIT 1`],
  ['sample', table => `SELECT x::INT FROM ${table} USING SAMPLE 50%`],
  ['all columns', table => `SELECT COLUMNS('x|n')::INT FROM ${table}`],
  [
    'recursive',
    table =>
      `WITH RECURSIVE r AS (SELECT x::INT AS i FROM ${table} UNION SELECT i + 1 FROM r WHERE i < 7) FROM r`,
  ],
]

describe.each([
  ['an alias by a value', filtered],
  ['an alias by all other values', unequal],
  ['an alias of an alias', ofAlias],
  ['a table with deleted rows', deleted],
])('of %s', (_, table) => {
  const statements: [string, string][] = [
    // All in one, and only where that fails each by itself, which names it.
    ['every expression', `SELECT ${EXPRESSIONS.join(', ')} FROM ${table}`],
    ...STATEMENTS.map(([name, sql]): [string, string] => [name, sql(table)]),
  ]
  it.each(statements)('%s sees shown rows alone', async (_, sql) => {
    const { status, text } = await ask(sql)
    expect([sql, status, text]).toEqual([sql, 200, expect.not.stringContaining('7h3a')])
  })

  it('neither do detected types', async () => {
    const { body } = await ask(`SELECT x FROM ${table} LIMIT 1`, asker, { detectTypes: true })
    expect(body.columns).toEqual([{ name: 'x', type: 'BIGINT' }])
  })
})

it.each([
  ['some rows', narrow, ['shown']],
  ['all rows', unfiltered, ['shown', 'hidden']],
])('a column that an alias of %s hides is none, in whatever way it is named', async (_, table, ids) => {
  for (const sql of [
    `SELECT x FROM ${table}`,
    `SELECT t.x FROM ${table} t`,
    `SELECT COLUMNS('x') FROM ${table}`,
    `SELECT * EXCLUDE (x) FROM ${table}`,
    `SELECT id FROM ${table} ORDER BY x`,
    `SELECT id FROM ${table} WHERE x > ''`,
    `SELECT t['x'] FROM ${table} t`,
    `SELECT struct_extract(t, 'x') FROM ${table} t`,
    `SELECT #2 FROM ${table}`,
    `SELECT file_row_number FROM ${table}`,
  ]) {
    const { status, text } = await ask(sql, outsider)
    expect([sql, status, text]).toEqual([sql, 400, expect.not.stringContaining('7h3a')])
  }
  const { body } = await ask(`SELECT t, to_json(t) FROM ${table} t`, outsider)
  expect(body.rows).toEqual(ids.map(id => [{ id }, `{"id":"${id}"}`]))
})

it('what the engine says of cells that are seen names none', async () => {
  const table = await service.createTable(
    bucketId,
    'seen',
    `${header}\nhidden,${Array(5).fill(PLANTED).join(',')}\n`,
  )
  for (const expression of EXPRESSIONS) {
    const { status, text } = await ask(`SELECT ${expression} AS y FROM ${table} WHERE y IS NULL`)
    expect([expression, status, text]).toEqual([
      expression,
      expect.any(Number),
      expect.not.stringMatching(/7h3a|\/tmp|scratch|COPY/),
    ])
    expect([expression, status]).toEqual([expression, status === 200 ? 200 : 400])
  }
})

it('filters of previews are asked of shown rows alone, and say no cell', async () => {
  for (const dataType of ['INTEGER', 'DOUBLE', 'BIGINT', 'REAL', 'DECIMAL'])
    for (const operator of ['eq', 'ne', 'gt', 'ge', 'lt', 'le']) {
      const where = `whereFilters[0][column]=x&whereFilters[0][operator]=${operator}&whereFilters[0][values][0]=5&whereFilters[0][dataType]=${dataType}`
      const { status, text } = await service.call(
        'GET',
        `/v2/storage/tables/${filtered}/data-preview?${where}`,
      )
      expect([where, status, text]).toEqual([where, 200, expect.not.stringContaining('7h3a')])
    }
})
