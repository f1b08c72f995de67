import { describe, expect, it } from 'vitest'
import { DuckDbPool } from '#lib/table-engine/duckdb/confined-duckdb.ts'
import { openDuckDbSession } from '#lib/table-engine/duckdb/duckdb-session.ts'
import { mayCall } from '#lib/table-engine/queries/allowed-functions.ts'
import { refusedByEngine } from '#lib/table-engine/queries/engine-messages.ts'
import { folderUntilEnd } from '#support/until-end.ts'

const session = await openDuckDbSession({
  pool: new DuckDbPool({ scratchDir: folderUntilEnd(), memoryLimitMiB: 128 }),
  threads: 1,
})
const PLANTED = `PLANTED(7f3a[' to INT32 when casting from source column PLANTED
LINE 1: "PLANTED"`
await session.query(`CREATE TABLE t AS SELECT '${PLANTED.replaceAll("'", "''")}' AS c, 'b' AS d, 5 AS n`)

/** What the engine says of each kind, by its own statement about a cell that fits none. */
const KINDS: [sql: string, said: string][] = [
  ['select nothing from t', 'no column "nothing"'],
  ['select t.nothing from t', 'no column "nothing"'],
  ['select x.c from t', 'no table or alias "x"'],
  ['select * exclude (zz) from t', 'no column "zz"'],
  ['from t semi join t u using (zz)', 'no column "zz"'],
  ['select sum(c) from t', '"sum" does not take (VARCHAR). Cells are text'],
  ['select c + 1 from t', '"+" does not take (VARCHAR, INTEGER_LITERAL)'],
  ['select c > 5 from t', 'VARCHAR and INTEGER_LITERAL cannot be mixed'],
  ['select c between 1 and 2 from t', 'VARCHAR and INTEGER_LITERAL cannot be mixed'],
  ['select [c, 5] from t', 'Values of several types'],
  ['select c, count(*) from t', '"c" must stand in GROUP BY'],
  ['select c from t a, t b', '"c" names several columns'],
  ['select 1 where sum(1) > 1', 'An aggregate'],
  ['select c::foo from t', 'no type, collation or function "foo"'],
  ['select c collate foo from t', 'no type, collation or function "foo"'],
  ['select c::int from t', 'A value of "c" cannot be converted to INT32'],
  ['select c::int[] from t', 'A value of "c" cannot be converted to INTEGER[]'],
  ["select c::enum('a') from t", 'A value of "c" cannot be converted'],
  ["select 'a'::int", 'A value cannot be converted to INT32'],
  ['select c::date from t', 'cannot be converted'],
  ['select c::json from t', 'cannot be converted'],
  ['select from_base64(c) from t', 'cannot be converted'],
  ["select date_part(c, date '2020-01-01') from t", 'cannot be converted'],
  ['select 2147483647::int + 1::int', 'out of the range'],
  ['select (select c from t union all select c from t)', 'several rows'],
  ["select regexp_matches('x', c) from t", 'regular expression'],
  ["select json_extract(c, '$') from t", 'no JSON'],
  ["select strptime(c, '%Y') from t", 'does not take a value'],
  ['select error(c) from t', 'does not take a value'],
  ['select timezone(c, now()) from t', 'does not offer this'],
  ["select c like d escape 'xx' from t", 'does not offer this'],
  ['select ?', 'does not take a value'],
  ['selec', 'syntax error at "selec"'],
  ["select 'a", 'its end is missing'],
  ['with a as (select 1) select * from a, nowhere', '"nowhere"'],
  [`select ${'1+'.repeat(2_000)}1`, 'too great a depth'],
]

describe('of what the engine says', () => {
  it.each(KINDS)('no word goes on but types and names of the query: %s', async (sql, said) => {
    const cause = await session.query(sql).then(
      () => expect.fail('It is well.'),
      (error: Error) => error,
    )
    const { message, code } = refusedByEngine(cause, sql) ?? expect.fail(`unknown: ${cause.message}`)
    expect([code, message]).toEqual(['storage.query.invalid', expect.stringContaining(said)])
    expect(message).not.toMatch(/PLANTED|7f3a|LINE|Candidate|duckdb_/)
  })

  it('the disk and the memory are no matter of the query', () => {
    for (const message of ['IO Error: No space left on device', 'Out of Memory Error: failed', 'a bug'])
      expect(refusedByEngine(new Error(message), 'select 1')).toBeUndefined()
  })
})

describe('of the functions of the engine', () => {
  it('those of their arguments alone may be called, of this version of it so many', async () => {
    const [all, ...rest] = await Promise.all(
      ["<> 'pragma'", "= 'table'"].map(async kinds =>
        (
          await session.query(
            `SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type ${kinds} ORDER BY 1`,
          )
        ).map(([name]) => String(name)),
      ),
    )
    const [tables = []] = rest
    expect(all?.filter(mayCall)).toHaveLength(564)
    expect(tables.filter(mayCall)).toEqual([
      'generate_series',
      'json_each',
      'json_tree',
      'range',
      'repeat',
      'unnest',
    ])
  })

  it.each([
    ...['current_query', 'current_setting', 'current_user', 'error', 'getenv', 'getvariable', 'glob'],
    ...[
      'json_execute_serialized_sql',
      'json_serialize_plan',
      'json_serialize_sql',
      'nextval',
      'parquet_scan',
    ],
    ...[
      'pg_get_viewdef',
      'pg_sleep',
      'query',
      'query_table',
      'read_csv',
      'read_text',
      'sleep_ms',
      'sniff_csv',
    ],
    ...[
      'stats',
      'version',
      'which_secret',
      'write_log',
      'duckdb_views',
      'txid_current',
      'a function of tomorrow',
    ],
  ])('%s may not', name => {
    expect([mayCall(name), mayCall(name.toUpperCase())]).toEqual([false, false])
  })
})
