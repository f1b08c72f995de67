import { parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { describe, expect, it } from 'vitest'
import { startOrders } from './support/orders.ts'

const { service, bucketId, newName, load, orders, query: send } = await startOrders()
await service.createTable(bucketId, 'cities', 'city,country\nPrague,CZ\nBrno,CZ\n')

const rowsOf = async (sql: string, more: object = {}) => {
  const { body, status } = await send({ sql, ...more })
  expect([status, body.error ?? '']).toEqual([200, ''])
  return body.rows
}

const loadInto = async (tableId: string, content: string, more: object = {}): Promise<void> => {
  const { body } = await load(tableId, { dataFileId: await service.upload(content), ...more })
  expect([tableId, body.status]).toEqual([tableId, 'success'])
}

describe('POST query', () => {
  it('names columns with their types, and the tables with what it reads of them', async () => {
    const { body } = await send({ sql: `SELECT id::INT AS id, total FROM ${orders} ORDER BY 1 LIMIT 1` })
    expect(body).toEqual({
      columns: [
        { name: 'id', type: 'INTEGER' },
        { name: 'total', type: 'VARCHAR' },
      ],
      rows: [[1, '10.5']],
      isTruncated: false,
      tables: [{ tableId: orders, columns: ['id', 'total'], bytes: expect.any(Number) }],
      warnings: [],
    })
  })

  it.each([
    ['max(total)', true],
    ['median(total)', true],
    ['arg_max(city, total)', true],
    ['arg_max(total, city)', false],
    ['max(total::DOUBLE)', false],
    ['max(city), min(id), max("when")', false],
    ['total ORDER BY total DESC', true],
    ['id, total AS t ORDER BY T', true],
    ['id, total ORDER BY 2', true],
    ['total, id ORDER BY 2', false],
    ['* ORDER BY ALL', true],
    ['row_number() OVER (ORDER BY total)', true],
    ['list(id ORDER BY total)', true],
    [`id WHERE total >= '1000'`, true],
    [`id WHERE total = '9' OR "when" < '2026-01-03' OR city > 'C'`, false],
    [`id WHERE '10' BETWEEN id AND total`, true],
    ['city, count(*) GROUP BY city HAVING min(total) > city', true],
    ['SUMMARIZE', true],
  ])('says when letters decide where numbers are meant: %s', async (asked, says) => {
    const sql = asked === 'SUMMARIZE' ? `SUMMARIZE ${orders}` : `FROM ${orders} SELECT ${asked}`
    const warning = expect.stringMatching(/^total of in\.c-main\.orders has numbers .* write "total"::DOUBLE/)
    const { body } = await send({ sql })
    expect([body.error, body.warnings]).toEqual([undefined, says ? [warning] : []])
    const whole = await send({ sql: `FROM ${orders} SELECT max(total)`, format: 'csv' })
    expect(whole.body.warnings).toEqual([warning])
    expect((await send({ sql, detectTypes: true })).body.warnings ?? []).toEqual([])
  })

  it.each<[string, unknown[][]]>([
    [`SELECT count(*) FROM in.c-main.orders`, [['3']]],
    [`SELECT sum(total::DOUBLE) FROM "in.c-main.orders" -- all of them`, [[119.5]]],
    [`SELECT sum(total::DOUBLE) FROM "in.c-main"."orders"; `, [[119.5]]],
    [`FROM in.c-main.cities SELECT city ORDER BY city`, [['Brno'], ['Prague']]],
    [
      `SELECT o.id, c.country FROM in.c-main.orders o JOIN in.c-main.cities c USING (city) WHERE total::DOUBLE > 10 ORDER BY 1`,
      [
        ['1', 'CZ'],
        ['3', 'CZ'],
      ],
    ],
    [
      'WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 3) SELECT max(i) FROM R',
      [[3]],
    ],
    [
      'WITH a AS (SELECT 1 AS x), b AS (FROM A) SELECT (WITH a AS (FROM b) SELECT x FROM a) FROM b UNION ALL FROM a',
      [[1], [1]],
    ],
    [`SELECT country FROM in.c-main.orders NATURAL JOIN in.c-main.cities LIMIT 1`, [['CZ']]],
    [
      `WITH big AS (SELECT * FROM in.c-main.orders WHERE id <> '1') SELECT min(id), max(city) FROM big`,
      [['2', 'Prague']],
    ],
    [
      `SELECT c.city FROM in.c-main.cities c WHERE EXISTS (SELECT 1 FROM in.c-main.orders o WHERE o.city = c.city AND o.id = '2')`,
      [['Brno']],
    ],
    [`SELECT c FROM in.c-main.cities c WHERE city = 'Brno'`, [[{ city: 'Brno', country: 'CZ' }]]],
    [`SELECT #1 FROM in.c-main.cities WHERE country = 'CZ' ORDER BY 1 LIMIT 1`, [['Brno']]],
    [`SELECT COLUMNS('^c') FROM in.c-main.cities ORDER BY 1 LIMIT 1`, [['Brno', 'CZ']]],
    [`SELECT column_name FROM (DESCRIBE in.c-main.cities)`, [['city'], ['country']]],
    [`VALUES (1, 'in.c-main.orders')`, [[1, 'in.c-main.orders']]],
    [
      `SELECT * FROM range(2), unnest(['a'])`,
      [
        ['0', 'a'],
        ['1', 'a'],
      ],
    ],
    [`SELECT id FROM in.c-main.orders WHERE city = 'nowhere'`, []],
  ])('answers %s', async (sql, rows) => {
    expect(await rowsOf(sql)).toEqual(rows)
  })

  it('reads what a preview shows: live rows, columns that came later, and texts by their types if asked', async () => {
    const id = await service.createTable(bucketId, newName(), 'id,n,t\n1,10,007\n2,9,\n3,,1\n')
    await service.call('DELETE', `/v2/storage/tables/${id}/rows?whereColumn=id&whereValues[]=3`)
    await service.jobsEnded()
    await service.call('POST', `/v2/storage/tables/${id}/columns`, { name: 'late' })
    await service.jobsEnded()
    expect(await rowsOf(`SELECT * FROM ${id} ORDER BY n`)).toEqual([
      ['1', '10', '007', ''],
      ['2', '9', '', ''],
    ])
    expect(await rowsOf(`SELECT * FROM ${id} ORDER BY n`, { detectTypes: true })).toEqual([
      ['2', '9', '', ''],
      ['1', '10', '007', ''],
    ])
  })

  it('reads typed tables by their types', async () => {
    const { body: job } = await service.call('POST', `/v2/storage/buckets/${bucketId}/tables-definition`, {
      name: 'typed',
      primaryKeysNames: ['id'],
      columns: [
        { name: 'id', definition: { type: 'INTEGER', nullable: false } },
        { name: 'day', definition: { type: 'DATE' } },
      ],
    })
    expect(job.error ?? null).toBeNull()
    await service.jobsEnded()
    await loadInto(`${bucketId}.typed`, 'id,day\n10,2026-01-01\n9,\n')
    expect(await rowsOf(`SELECT id, day, day IS NULL FROM in.c-main.typed ORDER BY id`)).toEqual([
      ['9', null, true],
      ['10', '2026-01-01', false],
    ])
  })

  it('says that there are more rows than are asked for', async () => {
    const sql = `SELECT id FROM ${orders} ORDER BY id`
    const { body } = await send({ sql, limit: 2 })
    expect([body.rows, body.isTruncated]).toEqual([[['1'], ['2']], true])
    expect((await send({ sql, limit: 3 })).body.isTruncated).toBe(false)
    const large = `SELECT repeat('x', 1000000) FROM range(20)`
    const cut = (await send({ sql: large })).body
    expect([cut.rows.length > 1, cut.rows.length < 20, cut.isTruncated]).toEqual([true, true, true])
  })

  it('writes the whole result to a file, as CSV, JSON lines and Parquet', async () => {
    const sql = `SELECT id, total::DOUBLE AS total FROM ${orders} WHERE city = 'Prague' ORDER BY id`
    const bytesOf = async (query: string, format: string) => {
      const { body, status } = await send({ sql: query, format })
      expect([status, body.error]).toEqual([201, undefined])
      const { body: file } = await service.call('GET', `/v2/storage/files/${body.file.id}`)
      expect(file).toMatchObject({ name: `query.${format}`, tags: ['query'], isSliced: false })
      return await (await fetch(file.url)).arrayBuffer()
    }
    const textOf = async (query: string, format: string) =>
      Buffer.from(await bytesOf(query, format)).toString()
    expect(await textOf(sql, 'csv')).toBe('"id","total"\n"1","10.5"\n"3","100.0"\n')
    expect(await textOf(sql, 'jsonl')).toBe('{"id":"1","total":10.5}\n{"id":"3","total":100.0}\n')
    expect(await textOf(`${sql} LIMIT 0`, 'csv')).toBe('"id","total"\n')
    expect(await textOf(`${sql} LIMIT 0`, 'jsonl')).toBe('')
    expect(await textOf('SELECT * FROM range(100000)', 'csv')).toHaveLength(8 + 788_890)
    expect(await parquetReadObjects({ file: await bytesOf(sql, 'parquet'), compressors })).toEqual([
      { id: '1', total: 10.5 },
      { id: '3', total: 100 },
    ])
    const files = async () => (await service.call('GET', '/v2/storage/files?tags[]=query')).body.length
    const before = await files()
    for (const format of ['csv', 'jsonl', 'parquet']) {
      expect((await send({ sql: 'SELECT nothing', format })).body.code).toBe('storage.query.invalid')
      const late = `SELECT CASE WHEN range < 99999 THEN 1 ELSE 'too late'::INT END FROM range(100000)`
      expect((await send({ sql: late, format })).body.code).toBe('storage.query.invalid')
    }
    expect(await files()).toBe(before)
  })
})

it('reads what people write', async () => {
  const t = `(VALUES (1, 'x', DATE '2020-01-01', 1.5), (2, 'y', DATE '2021-02-03', 2.5)) t(i, s, d, f)`
  const sums = 'sum(i), median(f), list(DISTINCT s), count(*) FILTER (i > 1), arg_max(s, i), histogram(i)'
  const dates =
    "EXTRACT(year FROM d), d + INTERVAL 1 DAY, strftime(d, '%Y'), date_diff('day', d, current_date)"
  const texts =
    "s ILIKE 'X%', s ~ 'x', s || 'a', substring(s FROM 1 FOR 1), trim(s), s.upper(), s SIMILAR TO 'x'"
  const lists = "[x * 2 FOR x IN [1, 2] IF x > 1], {'a': i}.a, MAP {'k': i}['k'], [1, 2][1:1], unnest([1, 2])"
  for (const sql of [
    `SELECT ${sums} FROM ${t}`,
    `SELECT ${dates} FROM ${t}`,
    `SELECT ${texts}, ${lists} FROM ${t}`,
    `SELECT i IN (SELECT 1), i = ANY(SELECT 1), ARRAY(SELECT 1), TRY(s::INT), s::VARCHAR COLLATE NOCASE FROM ${t}`,
    `SELECT rank() OVER w, lag(i) OVER w, sum(i) OVER (w ROWS 1 PRECEDING) FROM ${t} WINDOW w AS (ORDER BY i)`,
    `SELECT GROUPING(s), s, sum(i) FROM ${t} GROUP BY ROLLUP(s) HAVING sum(i) > 0 ORDER BY ALL LIMIT 50%`,
    `SELECT * EXCLUDE (s) REPLACE (i + 1 AS i) RENAME (f AS g), max(COLUMNS('i|f')) FROM ${t} GROUP BY ALL`,
    `SELECT i FROM ${t} UNION ALL BY NAME SELECT 1 AS j`,
    `SELECT '{"a":[1]}'->'a', json_extract('{"a":1}', '$.a'), a.* FROM json_each('{"a":1}') a`,
    `PIVOT (FROM ${t}) ON s IN ('x', 'y') USING sum(i)`,
    `UNPIVOT (SELECT i, f FROM ${t}) ON COLUMNS(*) INTO NAME n VALUE v`,
    `SELECT * FROM ${t} ASOF JOIN (VALUES (1)) u(k) ON i >= k, LATERAL (SELECT i + 1)`,
    'WITH a AS MATERIALIZED (SELECT 1 x), b AS NOT MATERIALIZED (FROM a) SELECT DISTINCT ON (x) x FROM b TABLESAMPLE 50%',
  ])
    expect([sql, (await send({ sql })).body.error]).toEqual([sql, undefined])
})

it('a pattern that would take another engine for ever takes none here', async () => {
  expect(await rowsOf(`SELECT regexp_matches(repeat('a', 100000) || 'b', '(a+)+$')`)).toEqual([[false]])
})

it('in a branch reads the tables of the branch', async () => {
  const { body: branch } = await service.call('POST', '/v2/storage/dev-branches', { name: newName() })
  await service.jobsEnded()
  const { body: all } = await service.call('GET', '/v2/storage/dev-branches')
  const id = branch.results?.id ?? all.find(({ isDefault }: { isDefault: boolean }) => !isDefault).id
  const inBranch = `/v2/storage/branch/${id}`
  await service.call('DELETE', `${inBranch}/tables/${orders}/rows?whereColumn=id&whereValues[]=3`)
  await service.jobsEnded()
  const sql = `SELECT count(*) FROM ${orders}`
  expect((await service.call('POST', `${inBranch}/query`, { sql })).body.rows).toEqual([['2']])
  expect(await rowsOf(sql)).toEqual([['3']])
})

it('reads the columns that it names, and none that is named like a part of its syntax tree', async () => {
  const id = await service.createTable(bucketId, newName(), 'id,type,value,class,alias\n1,a,b,c,d\n')
  const { body } = await send({ sql: `SELECT id, value AS v FROM ${id} WHERE id > '0'` })
  expect(body.tables).toEqual([{ tableId: id, columns: ['id', 'value'], bytes: expect.any(Number) }])
})

it('reads of a large table no more files than the rows that are shown need', async () => {
  const id = await service.createTable(bucketId, newName(), 'id\n1\n2\n')
  for (let round = 0; round < 3; round++) await loadInto(id, `id\n${round}0\n${round}1\n`, { incremental: 1 })
  const bytesOf = async (sql: string, more = {}) => (await send({ sql, ...more })).body.tables[0].bytes
  const all = await bytesOf(`SELECT count(id) FROM ${id}`)
  expect(await bytesOf(`SELECT id FROM ${id} LIMIT 2`)).toBeLessThan(all / 2)
  expect(await bytesOf(`SELECT * FROM ${id}`, { limit: 1 })).toBeLessThan(all / 2)
  for (const sql of [
    `SELECT id FROM ${id} ORDER BY id LIMIT 1`,
    `SELECT max(id) FROM ${id} LIMIT 1`,
    `SELECT id FROM ${id} WHERE id > '1' LIMIT 1`,
    `SELECT DISTINCT id FROM ${id} LIMIT 1`,
    `SELECT row_number() OVER () FROM ${id} LIMIT 1`,
    `SELECT id FROM (SELECT id FROM ${id}) LIMIT 1`,
  ])
    expect([sql, await bytesOf(sql)]).toEqual([sql, all])
})
