import { describe, expect, it } from 'vitest'
import { rowSource } from '#lib/storage/tables/aliases/row-source.ts'
import { startOrders } from './support/orders.ts'

const { service, orders, query: send, tokenFor } = await startOrders()
const aliases = await service.createBucket('shown')
const { body } = await service.call('POST', `/v2/storage/buckets/${aliases}/table-aliases`, {
  sourceTable: orders,
  name: 'prague',
  aliasFilter: { column: 'city', values: ['Prague'] },
  aliasColumns: ['id', 'total'],
})
const alias = body.id
expect(alias).toBe(`${aliases}.prague`)

describe('a query reads nothing else', () => {
  it.each<[string, string]>([
    ['DROP TABLE in.c-main.orders', 'Only queries'],
    ["COPY (SELECT 1) TO '/tmp/x'", 'Only queries'],
    ["ATTACH '/tmp/x.db'", 'Only queries'],
    ['SET threads = 8', 'Only queries'],
    ['CREATE TABLE x AS SELECT 1', 'Only queries'],
    ['SELECT 1; SELECT 2', '2 statements'],
    ['', 'sql'],
    ['SELEC', 'syntax error'],
    ["SELECT * FROM '/etc/passwd'", 'There is no table'],
    ["SELECT * FROM 'tables-*/file-0'", 'There is no table'],
    ["SELECT * FROM read_csv('/etc/passwd')", 'cannot be read from'],
    ["SELECT * FROM system.main.read_text('/etc/passwd')", 'cannot be read from'],
    ["SELECT * FROM query('SELECT 1')", 'cannot be read from'],
    ["SELECT * FROM query_table('x')", 'cannot be read from'],
    ["SELECT * FROM glob('/tmp/*')", 'cannot be read from'],
    ['SELECT * FROM duckdb_views()', 'cannot be read from'],
    ['SELECT * FROM duckdb_settings()', 'cannot be read from'],
    ['SELECT * FROM information_schema.tables', 'There is no table'],
    ['SELECT * FROM pg_catalog.pg_class', 'There is no table'],
    ['SELECT * FROM work.main.x', 'There is no table'],
    ['SHOW ALL TABLES', 'SHOW'],
    ['SHOW TABLES', 'SHOW'],
    ["SELECT current_setting('temp_directory')", 'not available'],
    ["SELECT (SELECT current_setting('temp_directory'))", 'not available'],
    [`WITH "/tmp/x.parquet" AS (SELECT 1) SELECT * FROM "/tmp/x.parquet"`, 'cannot be a name'],
    ['SELECT * FROM (FROM (SELECT 1) s), x', 'There is no table'],
    ['SELECT nothing FROM in.c-main.orders', 'nothing'],
    ['SELECT sum(total) FROM in.c-main.orders', 'cast them'],
    ["SELECT 'a'::INT", 'convert'],
    [`SELECT _timestamp FROM in.c-main.orders`, '_timestamp'],
    [`SELECT file_index FROM in.c-main.orders`, 'file_index'],
    [`SELECT getenv('HOME')`, 'not available'],
    [`SELECT list_transform(['HOME'], lambda x: getenv(x))`, 'not available'],
    [`SELECT stats(id) FROM in.c-main.orders`, 'not available'],
    ['SELECT sleep_ms(60000)', 'not available'],
    ['PRAGMA database_list', 'Only queries'],
    ['CALL pragma_version()', 'Only queries'],
    ['INSTALL httpfs', 'Only queries'],
    ['LOAD httpfs', 'Only queries'],
    ["EXPORT DATABASE '/tmp/y'", 'Only queries'],
    ['CREATE SECRET s (TYPE s3)', 'Only queries'],
    ['INSERT INTO in.c-main.orders VALUES (1)', 'Only queries'],
    ['EXPLAIN ANALYZE SELECT 1', 'Only queries'],
    ["SELECT * FROM 'http://127.0.0.1:1/x.parquet'", 'There is no table'],
    [`SELECT * FROM "/etc/passwd".x.y`, 'There is no table'],
    [`SELECT * FROM "in.c-main"."../../../etc/passwd"`, 'There is no table'],
    ...[
      ...['read_blob', 'read_json_auto', 'sniff_csv', 'parquet_scan', 'parquet_metadata', 'iceberg_scan'],
      ...['duckdb_secrets', 'which_secret', 'json_execute_serialized_sql', 'repeat_row', 'test_all_types'],
    ].map((name): [string, string] => [`SELECT * FROM ${name}('x')`, 'cannot be read from']),
    ['SELECT * FROM in.c-main.orders o, LATERAL (SELECT * FROM read_text(o.id))', 'cannot be read from'],
    ['SELECT * FROM in.c-main.orders AT (VERSION => 1)', 'time travel'],
    [`SELECT ${'1+'.repeat(40_000)}1`, 'depth'],
    ['SELECT ?', 'parameter'],
    // Names of WITH count where DuckDB finds them, and nowhere else.
    ...[
      'FROM duckdb_views',
      'FROM (WITH duckdb_views AS (SELECT 1) FROM duckdb_views), duckdb_views',
      'FROM duckdb_views, (WITH duckdb_views AS (SELECT 1) FROM duckdb_views)',
      'WITH duckdb_views AS (FROM duckdb_views) FROM duckdb_views',
      'WITH a AS (FROM duckdb_views), duckdb_views AS (SELECT 1) FROM a',
      'WITH a AS (WITH duckdb_views AS (SELECT 1) FROM duckdb_views) FROM a, duckdb_views',
      'WITH RECURSIVE duckdb_views AS (FROM duckdb_views UNION ALL FROM duckdb_views) FROM duckdb_views',
      'WITH du\u212adb_views AS (SELECT 1), duc\u212adb_views AS (SELECT 1) FROM duckdb_views',
      '(WITH duckdb_views AS (SELECT 1) FROM duckdb_views) UNION ALL FROM duckdb_views',
      'SELECT (WITH sqlite_master AS (SELECT 1) FROM sqlite_master), (SELECT sql FROM sqlite_master)',
      'SELECT 1 ORDER BY (SELECT sql FROM duckdb_views)',
      'SELECT 1 WHERE EXISTS (FROM pg_tables)',
      'SELECT 1 LIMIT (SELECT count(*) FROM pg_settings)',
      'SELECT x FROM (SELECT 1 AS x), LATERAL (SELECT x FROM duckdb_tables)',
      'SELECT list_transform([1], lambda x: (SELECT sql FROM duckdb_views))',
      ...['DESCRIBE duckdb_views', 'SUMMARIZE duckdb_views', 'TABLE duckdb_views', 'SHOW duckdb_views'],
      "FROM duckdb_views PIVOT (count(*) FOR view_name IN ('a'))",
      ...['FROM main.duckdb_views', 'FROM system.main.duckdb_views', 'FROM temp.information_schema.columns'],
    ].map((sql): [string, string] => [sql, 'There is no table']),
    ...[
      ...['pg_sleep(1)', 'current_query()', 'version()', 'pg_get_viewdef(1)', "error('x')", 'txid_current()'],
      ...['system.main.pg_sleep(1)', "json_execute_serialized_sql('')", "json_serialize_plan('SELECT 1')"],
      ...[
        "nextval('s')",
        'in_search_path(1, 2)',
        "write_log('x')",
        "currval('s')",
        'enum_range(NULL)',
        "('x').getenv()",
      ],
    ].map((call): [string, string] => [`SELECT ${call}`, 'is not available']),
    ['EXECUTE x', 'Only queries'],
    ['PREPARE x AS SELECT 1', 'Only queries'],
    ['CREATE MACRO x() AS 1', 'Only queries'],
    ['PIVOT in.c-main.orders ON city', 'Only queries'],
    ['SELECT DEFAULT', 'not read here'],
    [`SELECT 'a'::TEXT COLLATE "../x"`, 'collation'],
    ['FROM repeat_row(1)', 'cannot be read from'],
    ["FROM repeat('x', 10)", 'cannot be read from'],
    ["FROM histogram_values('x', 1)", 'cannot be read from'],
  ])('%s is refused', async (sql, words) => {
    const { status, body, text } = await send({ sql })
    expect([status, text.toLowerCase()]).toEqual([400, expect.stringContaining(words.toLowerCase())])
    expect(body.error.replaceAll(sql.match(/'[^']*'|"[^"]*"/)?.[0].slice(1, -1) ?? '', '')).not.toMatch(
      /\/tmp\/|tables-/,
    )
  })

  it('of a table that the token may not read, or that is not there', async () => {
    const limited = await tokenFor({ [aliases]: 'read' })
    expect((await send({ sql: `SELECT * FROM ${orders}` }, limited)).status).toBe(403)
    expect(
      (await send({ sql: `SELECT * FROM (SELECT 1), (SELECT id FROM ${orders})` }, limited)).status,
    ).toBe(403)
    expect((await send({ sql: 'SELECT * FROM in.c-main.nothing' })).status).toBe(404)
  })

  it('through an alias: its rows and its columns', async () => {
    const limited = await tokenFor({ [aliases]: 'read' })
    expect((await send({ sql: `SELECT * FROM ${alias} ORDER BY id` }, limited)).body.rows).toEqual([
      ['1', '10.5'],
      ['3', '100'],
    ])
    for (const hidden of ['secret', 'city'])
      for (const sql of [`SELECT ${hidden} FROM ${alias}`, `SELECT id FROM ${alias} WHERE ${hidden} > ''`])
        expect((await send({ sql }, limited)).body.code).toBe('storage.query.invalid')
    expect((await send({ sql: `SELECT count(*) FROM ${alias}` }, limited)).body.rows).toEqual([['2']])
  })

  it('longer, or more, than it is allowed to', async () => {
    const engine = await service.jobServices.tableEngine()
    const sql = 'SELECT count(DISTINCT a.range + b.range) FROM range(1000000) a, range(1000000) b'
    const find = async () => Promise.reject(new Error('It names no table'))
    const most = { rows: 1, bytes: 1_000 }
    const query = {
      sql,
      asker: 'a',
      find,
      maxBytes: 1,
      detectsTypes: false,
      signal: AbortSignal.timeout(1_000),
      most,
    }
    await expect(engine.query(query)).rejects.toMatchObject({
      code: 'storage.query.tooLong',
    })
    const table = await service.stores.tables.getReadable(orders)
    const found = async () => rowSource(table ?? expect.fail('no table'), {})
    const large = { ...query, sql: `FROM ${orders}`, find: found, signal: AbortSignal.timeout(60_000) }
    await expect(engine.query(large)).rejects.toMatchObject({
      code: 'storage.query.tooLarge',
    })
  })
})
