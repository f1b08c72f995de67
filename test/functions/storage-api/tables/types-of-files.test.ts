import { describe, expect, it } from 'vitest'
import { parquetOf } from '#support/parquet-of.ts'
import { startTableRoutes } from '#support/table-routes.ts'

const { service, bucketId, newName, create, load, detail } = await startTableRoutes()

const upload = async (file: string) => service.upload(/^SELECT/.test(file) ? await parquetOf(file) : file)

const tableOf = async (file: string, fields: object = {}) => {
  const { body: job } = await create({ name: newName(), dataFileId: await upload(file), ...fields })
  return job.status === 'error' ? `${job.error.code}: ${job.error.message}` : (job.results.id as string)
}
const typesOf = async (tableId: string) =>
  Object.fromEntries(
    (await detail(tableId)).definition.columns.map(
      ({ name, definition: { type, length, nullable = true } }: Column) => [
        name,
        `${type}${type === 'NUMBER' ? `(${length})` : ''}${nullable ? '' : ' NOT NULL'}`,
      ],
    ),
  )
interface Column {
  name: string
  definition: { type: string; length?: string; nullable?: boolean }
}
const cellsOf = async (tableId: string) => {
  const { text } = await service.call('GET', `/v2/storage/tables/${tableId}/data-preview`)
  return text.split('\n').slice(1, -1).toSorted().join(' ')
}
const day = async (tableId: string, file: string, fields: object = {}) => {
  const { body: job } = await load(tableId, { dataFileId: await upload(file), ...fields })
  return job.status === 'error'
    ? `${job.error.code}: ${job.error.message}`
    : [await cellsOf(tableId), ...job.results.warnings].join('; ')
}

/** A file of rows, each a list of SQL values under these names. */
const rows = (names: string, ...values: string[]) =>
  `SELECT * FROM (VALUES ${values.map(row => `(${row})`).join(', ')}) AS t(${names})`

describe('a table that a Parquet file makes', () => {
  it('has the types of the file, and its values', async () => {
    const tableId = await tableOf(
      `SELECT 1::TINYINT AS id, 7::UBIGINT AS big, 1.50::DECIMAL(6,2) AS price, 0.5::FLOAT AS rate, true AS ok,
        DATE '2026-01-31' AS day, TIME '10:00:00' AS "time", TIMESTAMP '2026-01-31 10:00:00' AS at,
        TIMESTAMPTZ '2026-01-31 10:00:00+02' AS seen, 'a' AS note`,
      { primaryKey: 'id' },
    )
    expect(await detail(tableId)).toMatchObject({ isTyped: true })
    expect(await typesOf(tableId)).toEqual({
      id: 'NUMBER(38,0) NOT NULL',
      big: 'NUMBER(20,0)',
      price: 'NUMBER(6,2)',
      rate: 'FLOAT',
      ok: 'BOOLEAN',
      day: 'DATE',
      time: 'TIME',
      at: 'TIMESTAMP_NTZ',
      seen: 'TIMESTAMP_TZ',
      note: 'VARCHAR',
    })
    expect(await cellsOf(tableId)).toBe(
      '"1","7","1.50","0.5","true","2026-01-31","10:00:00","2026-01-31 10:00:00.000","2026-01-31 08:00:00.000 +0000","a"',
    )
    const sql = `SELECT max(rate) + 1 AS more FROM ${tableId}`
    expect((await service.call('POST', '/v2/storage/query', { sql })).body.rows).toEqual([[1.5]])
  })

  it('keeps NULL and the empty text apart, and texts that are nothing but marks', async () => {
    const values = [`1, NULL`, `2, ''`, `3, chr(26)`, `4, chr(26) || chr(26)`, `5, 'a'`]
    const tableId = await tableOf(rows('id, note', ...values))
    expect(await cellsOf(tableId)).toBe('"1", "2","" "3","\u001a" "4","\u001a\u001a" "5","a"')
    // A table of texts has both as the empty one.
    const texts = await tableOf('id,note\n')
    expect(await day(texts, rows('id, note', ...values))).toBe(
      '"1","" "2","" "3","\u001a" "4","\u001a\u001a" "5","a"',
    )
    expect(await detail(texts)).toMatchObject({ isTyped: false })
  })

  it('has lists and structures as JSON, and says it', async () => {
    const file = `SELECT 1 AS id, [1, 2] AS list, {'a': 'x', 'b': [1.5]} AS struct, MAP {'k': 1} AS map, 2::DECIMAL(4,1) AS last`
    const { body: job } = await create({ name: newName(), dataFileId: await upload(file) })
    expect(job.results.warnings).toEqual([
      'The file has lists or structures in "list", "struct", "map": they are read as JSON.',
    ])
    expect(await cellsOf(job.results.id)).toBe('"1","[1,2]","{""a"":""x"",""b"":[1.5]}","{""k"":1}","2.0"')
    expect(await typesOf(job.results.id)).toMatchObject({ list: 'VARCHAR', last: 'NUMBER(4,1)' })
  })

  it.each([
    ['no number', `'nan'::DOUBLE`, 'nan'],
    ['no end', `'-inf'::FLOAT`, '-inf'],
    ['a nanosecond', `'2026-01-31 10:00:00.000000001'::TIMESTAMP_NS`, '2026-01-31 10:00:00.000000001'],
    ['a day before the year 1', `'0001-01-01 (BC)'::DATE`, '0001-01-01 (BC)'],
  ])('has a column with %s as text, and says it', async (_, sql, text) => {
    const { body: job } = await create({
      name: newName(),
      dataFileId: await upload(`SELECT 1 AS id, ${sql} AS x`),
    })
    expect(job.results.warnings).toEqual([expect.stringContaining('it is read as text')])
    expect(await cellsOf(job.results.id)).toBe(`"1","${text}"`)
    expect(await typesOf(job.results.id)).toMatchObject({ id: 'NUMBER(38,0)', x: 'VARCHAR' })
  })

  it('refuses NULL in its key with the row', async () => {
    expect(await tableOf(rows('id, n', '1, 1', 'NULL, 2'), { primaryKey: 'id' })).toMatch(
      /^csvImport\.requiredValue: .*id cannot be null\n {2}In row 2, column "id"/,
    )
    const keyed = await tableOf(rows('id, n', `'a', 1`, `'', 2`), { primaryKey: 'id' })
    expect(keyed).toMatch(/^in\./)
    const texts = await tableOf('id,n\n', { primaryKey: 'id' })
    const lines = '{"id":"","n":"1"}\n{"id":null,"n":"2"}\n'
    for (const tableId of [keyed, texts])
      for (const file of [rows('id, n', `'', 1`, 'NULL, 2'), lines, lines.replace('"id":null,', '')])
        expect(await day(tableId, file, { incremental: 1 })).toMatch(/requiredValue.* row 2, column "id"/s)
    expect(await day(texts, lines.replace('null', '"\\u001a"'))).toBe('"\u001a","2" "","1"')
    expect(await day(texts, 'id,n\n,1\n')).toBe('"","1"') // in CSV it is the empty text, as clients expect
  })
})

describe('from day to day', () => {
  const first = rows('id, n, note', '1, 10', '2, 20').replace(
    '(1, 10), (2, 20)',
    `(1, 10, 'a'), (2, 20, 'b')`,
  )
  const both = '"1","10","a" "2","20","b"'
  const types = { id: 'NUMBER(38,0)', n: 'NUMBER(38,0)', note: 'VARCHAR' }

  /** As pandas writes them: whole numbers become floats where one is missing. */
  const gaps = rows('id, n, note', `3, 30.0::DOUBLE, 'c'`, '4, NULL, NULL')

  it.each([
    ['whole numbers as floats, with gaps', gaps, `${both} "3","30","c" "4",,`],
    ['another width', rows('id, n, note', `3::TINYINT, 7::HUGEINT, 'c'`), `${both} "3","7","c"`],
    ['a column that is all NULL', `SELECT 3 AS id, NULL AS n, NULL AS note`, `${both} "3",,`],
    ['a number as text', rows('id, n, note', `'3', '30', ''`), `${both} "3","30",""`],
  ])('%s is added', async (_, file, cells) => {
    const tableId = await tableOf(first)
    expect(await day(tableId, file, { incremental: 1 })).toBe(cells)
    expect(await typesOf(tableId)).toEqual(types)
  })

  it('a value that does not fit is refused with column, row and both types', async () => {
    const tableId = await tableOf(first)
    const half = rows('id, n, note', `3, 30.0, 'c'`, `4, 0.5, 'd'`)
    expect(await day(tableId, half, { incremental: 1 })).toMatch(
      /^rowTooLarge: [\s\S]*In row 2, column "n", whose type is NUMBER\(38,0\), at most 64 bits, and DECIMAL\(3,1\) in the file\. Nothing was loaded/,
    )
    expect(await cellsOf(tableId)).toBe(both)
  })

  it('a replacing file brings its types, where nobody declared them, and says which changed', async () => {
    const tableId = await tableOf(first, { primaryKey: 'id' })
    expect(await day(tableId, gaps)).toBe(
      '"3","30","c" "4",,; The types of the file are others than before: n from NUMBER(38,0) to FLOAT.',
    )
    expect(await typesOf(tableId)).toEqual({ ...types, id: 'NUMBER(38,0) NOT NULL', n: 'FLOAT' })
    expect(await day(tableId, `SELECT 'x' AS id, 1 AS n, 'c' AS note`)).toContain(
      'id from NUMBER(38,0) to VARCHAR',
    )
    expect(await day(tableId, 'id,n,note\ny,5,d\n')).toBe('"y","5","d"')
  })

  it('a file without types leaves those of the table, and must fit them', async () => {
    const tableId = await tableOf(first)
    expect(await day(tableId, 'id,n,note\n3,x,\n')).toMatch(/^csvImport\.invalidValue: .*line 2, column "n"/s)
    expect(await day(tableId, 'id,n,note\n3,,\n')).toBe('"3",,')
  })

  it('what a person declared stays, also beside columns that came with a load', async () => {
    const name = newName()
    const columns = [
      { name: 'id', basetype: 'INTEGER' },
      { name: 'n', basetype: 'INTEGER' },
    ]
    await service.call('POST', `/v2/storage/buckets/${bucketId}/tables-definition`, { name, columns })
    const tableId = `${bucketId}.${name}`
    expect(await day(tableId, first)).toBe(both)
    expect(await day(tableId, rows('id, n, note', '3, 0.5, 1'))).toMatch(/^rowTooLarge: .*and DECIMAL/s)
    expect(await day(tableId, rows('id, n, note', '3, 5, 1'))).toBe(
      '"3","5","1"; The types of the file are others than before: note from VARCHAR to NUMBER(38,0).',
    )
  })

  it('a new column has the type of its file, and later changes of the table keep what was inferred', async () => {
    const tableId = await tableOf(first)
    const more = rows('id, n, note, price', `3, 30, 'c', 1.25`)
    expect(await day(tableId, more, { incremental: 1 })).toBe(
      '"1","10","a", "2","20","b", "3","30","c","1.25"',
    )
    expect(await typesOf(tableId)).toMatchObject({ price: 'NUMBER(3,2)' })
    await service.call('POST', `/v2/storage/tables/${tableId}/primary-key`, { columns: ['id'] })
    await service.jobsEnded()
    expect(await day(tableId, rows('id, n, note, price', `3, 30, 'c', true`))).toContain(
      'price from NUMBER(3,2) to BOOLEAN',
    )
  })

  it('a table of texts stays one', async () => {
    const tableId = await tableOf('id,n,note\n1,10,a\n')
    expect(await day(tableId, first)).toBe(both)
    expect(await detail(tableId)).toMatchObject({ isTyped: false })
  })
})

describe('types=detect', () => {
  const detect = { types: 'detect' }
  const json = (...objects: object[]) => JSON.stringify(objects)

  it.each([
    ['whole numbers', ['1', '-20', ''], 'NUMBER(38,0)', ['"1"', '"-20"', '']],
    ['numbers', ['1', '2.50', '1e3'], 'FLOAT', ['"1"', '"2.5"', '"1000"']],
    ['leading zeros', ['007', '12', ''], 'VARCHAR', ['"007"', '"12"', '']],
    ['more digits than a number holds', ['12345678901234567890'], 'VARCHAR', ['"12345678901234567890"']],
    ['truth', ['true', 'False'], 'BOOLEAN', ['"true"', '"false"']],
    ['days', ['2026-01-31', ''], 'DATE', ['"2026-01-31"', '']],
    ['no days', ['2026-01-31', '2026-02-30'], 'VARCHAR', ['"2026-01-31"', '"2026-02-30"']],
    ['times', ['2026-01-31 10:00:00'], 'TIMESTAMP_NTZ', ['"2026-01-31 10:00:00.000"']],
    [
      'days and times',
      ['2026-01-31', '2026-01-31 10:00:00'],
      'VARCHAR',
      ['"2026-01-31"', '"2026-01-31 10:00:00"'],
    ],
    ['nothing', ['', ''], 'VARCHAR', ['', '']],
  ])('%s: all values decide', async (_, cells, type, shown) => {
    const tableId = await tableOf(`id,x\n${cells.map((cell, id) => `${id},${cell}`).join('\n')}\n`, detect)
    expect(await typesOf(tableId)).toMatchObject({ x: type })
    expect(await cellsOf(tableId)).toBe(shown.map((cell, id) => `"${id}",${cell}`).join(' '))
  })

  it('leaves the columns that are named as text', async () => {
    const tableId = await tableOf('id,my zip,n\n1,8000,5\n', { ...detect, textColumns: ['my zip', 'id'] })
    expect(await typesOf(tableId)).toEqual({ id: 'VARCHAR', my_zip: 'VARCHAR', n: 'NUMBER(38,0)' })
  })

  it('looks at every chunk of a file: the last value may be none', async () => {
    const many = Array.from(
      { length: 400_000 },
      (_, id) => `${id},${id % 7 === 0 ? '' : 'word '.length}`,
    ).join('\n')
    const tableId = await tableOf(`id,x\n${many}\n400000,none\n`, detect)
    expect(await typesOf(tableId)).toEqual({ id: 'NUMBER(38,0)', x: 'VARCHAR' })
  })

  it('is of JSON and of TSV, too; without it, all are text', async () => {
    const objects = json({ id: 1, ok: true, note: null }, { id: 2, ok: false, note: 'a' })
    const tableId = await tableOf(objects, detect)
    expect(await typesOf(tableId)).toEqual({ id: 'NUMBER(38,0)', ok: 'BOOLEAN', note: 'VARCHAR' })
    const later = json({ id: 3, ok: '', note: '' }, { id: 4, note: null }, { id: 5, note: '\u001a' })
    expect(await day(tableId, later)).toBe('"3",,"" "4",, "5",,"\u001a"')
    const tabs = await tableOf('id\tn\n1\t0.5\n', { ...detect, delimiter: '\t' })
    expect(await typesOf(tabs)).toEqual({ id: 'NUMBER(38,0)', n: 'FLOAT' })
    expect(await detail(await tableOf(objects))).toMatchObject({ isTyped: false })
  })

  it('a later value that does not fit is refused with line, column and what to do', async () => {
    const tableId = await tableOf('id,n\n1,10\n', { ...detect, primaryKey: 'id' })
    expect(await day(tableId, 'id,n\n2,20\n3,many\n', { incremental: 1, ...detect })).toMatch(
      /In line 3, column "n", whose type is NUMBER.* Nothing was loaded\. The type came with an earlier load: mend the value, or replace/,
    )
    expect(await day(tableId, 'id,n\n2,20\n3,many\n', detect)).toBe(
      '"2","20" "3","many"; The types of the file are others than before: n from NUMBER(38,0) to VARCHAR.',
    )
    expect(await tableOf('id,n\n1,10\n,20\n', { ...detect, primaryKey: 'id' })).toMatch(/line 3, column "id"/)
  })

  it('never types a table of texts', async () => {
    const tableId = await tableOf('id,n\n1,10\n')
    expect(await day(tableId, 'id,n\n2,20\n', detect)).toBe('"2","20"')
    expect(await detail(tableId)).toMatchObject({ isTyped: false })
  })
})
