import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { UserError } from '#lib/errors/errors.ts'
import { emptySnapshot, type NewField, withFields } from '#lib/table-engine/files/snapshot.ts'
import { parquetOf as parquet } from '#support/parquet-of.ts'
import { untilEnd } from '#support/until-end.ts'
import { createTableFixture, type LoadOptions } from './support/table-fixture.ts'

const tables = await untilEnd(createTableFixture({ chunkBytes: 500, smallFileBytes: 1_300 }))

/** A file that another program wrote, with what DuckDB does not write. */
const written = (name: string): Promise<Buffer> =>
  readFile(path.join(import.meta.dirname, 'parquet', 'written', `${name}.parquet`))

const refusal = async (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable('the load was accepted'),
    error => ({ code: error.code, params: error.params, message: error.message }),
  )

const rowsOf = async (file: Buffer | Buffer[], options: LoadOptions = {}) => {
  const { snapshot } = await tables.load(file, options)
  return tables.rows(snapshot)
}

const typedTable = (...fields: NewField[]): LoadOptions => ({
  current: withFields(emptySnapshot([], []), fields),
  incremental: true,
})
const nullable = { nullable: true }

describe('a Parquet file', () => {
  it.each([
    ['text', `'č "q", ' || chr(10) || 'x'`, 'č "q", \nx'],
    ['bytes of text', `'abc'::BLOB`, 'abc'],
    ['NULL', 'NULL::INTEGER', ''],
    ['truth', 'true', 'true'],
    ['a whole number', '18446744073709551615::UBIGINT', '18446744073709551615'],
    ['a decimal, with all its digits', '1.5::DECIMAL(38,10)', '1.5000000000'],
    ['a number', '1e300::DOUBLE', '1e+300'],
    ['a number without a fraction', '100::DOUBLE', '100'],
    ['a number of 32 bits', '0.1::FLOAT', '0.1'],
    ['no number', `'nan'::DOUBLE`, 'nan'],
    ['a day', `DATE '2026-01-31'`, '2026-01-31'],
    ['a time', `TIME '10:00:00.5'`, '10:00:00.5'],
    ['a moment', `TIMESTAMP '2026-01-31 10:00:00'`, '2026-01-31 10:00:00.000'],
    ['a moment with nanoseconds', `TIMESTAMP_NS '2026-01-31 10:00:00.000000001'`, '2026-01-31 10:00:00.000000001'],
    ['a moment in a zone', `TIMESTAMPTZ '2026-01-31 10:00:00.123456+02'`, '2026-01-31 08:00:00.123456 +0000'],
    ['a UUID', `'d1a5f0a0-0000-4000-8000-000000000000'::UUID`, 'd1a5f0a0-0000-4000-8000-000000000000'],
    ['JSON', `'{"a": 1}'::JSON`, '{"a": 1}'],
  ])('becomes text in a table of texts: %s', async (_, sql, text) => {
    const current = emptySnapshot(['value'], [])
    expect(await rowsOf(await parquet(`SELECT ${sql} AS value`), { current })).toEqual([[text]])
  }) // biome-ignore format: a type, a line

  it('keeps the names and the order of its columns, and every row of every row group', async () => {
    const file = await parquet(
      `SELECT range AS id, 'r' || range AS "Odd name" FROM range(5000)`,
      ', ROW_GROUP_SIZE 2048',
    )
    const { snapshot, ...load } = await tables.load(file)
    expect(load).toMatchObject({
      importedColumns: ['id', 'Odd_name'],
      importedRowsCount: 5_000,
      inBytes: file.length,
      warnings: [expect.stringContaining('"Odd name" is Odd_name')],
    })
    const rows = await tables.rows(snapshot)
    expect(rows.toSorted((a, b) => Number(a[0]) - Number(b[0]))).toEqual(
      Array.from({ length: 5_000 }, (_, row) => [String(row), `r${row}`]),
    )
    expect(await tables.scratch()).toEqual([])
  })

  // What DuckDB adds to a scan of files, and would find in the file's own column.
  it.each([
    ['file_row_number', 'range', (row: number) => `${row}`],
    ['FILE_ROW_NUMBER', 'range + 10', (row: number) => `${row + 10}`],
    ['File_Row_Number', '-range', (row: number) => `${-row}`],
    ['file_row_number', 'NULL::BIGINT', () => null],
    ['file_row_number', `'x' || range`, (row: number) => `x${row}`],
  ] as const)('has all its rows when its columns %s and its kin hold %s', async (name, sql, text) => {
    const names = [name, 'filename', 'FILE_INDEX', 'file_row_group_number', 'rowid', 'c0']
    const columns = names.map(each => `${sql} AS "${each}"`).join(', ')
    const file = await parquet(`SELECT range AS id, ${columns} FROM range(3000)`, ', ROW_GROUP_SIZE 2048')
    const rows = (await rowsOf(file)).toSorted((a, b) => Number(a[0]) - Number(b[0]))
    const expected = Array.from({ length: 3_000 }, (_, row) => [`${row}`, ...names.map(() => text(row))])
    expect(rows).toEqual(expected)
  })

  it('without rows makes a table without rows', async () => {
    const { snapshot, importedColumns } = await tables.load(await parquet('SELECT 1 AS id LIMIT 0'))
    expect(importedColumns).toEqual(['id'])
    expect(await tables.rows(snapshot)).toEqual([])
  })

  it('replaces the rows of its keys', async () => {
    const first = await tables.load('id,note\n1,a\n2,b\n', { primaryKey: ['id'] })
    const rows = await rowsOf(await parquet(`SELECT 'new' AS note, 2 AS id`), {
      current: first.snapshot,
      incremental: true,
    })
    expect(rows.toSorted()).toEqual([
      ['1', 'a'],
      ['2', 'new'],
    ])
  })

  it('keeps the values of typed columns, NULL too', async () => {
    const table = typedTable(
      { name: 'id', type: 'long', rules: nullable },
      { name: 'price', type: 'decimal(8,2)', rules: nullable },
      { name: 'rate', type: 'double', rules: nullable },
      { name: 'ok', type: 'boolean', rules: nullable },
      { name: 'day', type: 'date', rules: nullable },
      { name: 'at', type: 'timestamp', rules: nullable },
      { name: 'seen', type: 'timestamptz', rules: nullable },
      { name: 'note', type: 'string', rules: nullable },
    )
    const columns = ['id', 'price', 'rate', 'ok', 'day', 'at', 'seen', 'note']
    const values = `7::UINTEGER, 1.50::DECIMAL(10,4), 0.25::FLOAT, false, DATE '2026-01-31', TIMESTAMP_NS '2026-01-31 10:00:00.1',
      TIMESTAMPTZ '2026-01-31 10:00:00+02', 'ž'`
    const select = (list: string): string =>
      `SELECT * FROM (SELECT ${list}) AS t(${columns.map(name => `"${name}"`).join(', ')})`
    const file = await parquet(`${select(values)} UNION ALL ${select(columns.map(() => 'NULL').join(', '))}`)
    const rows = await rowsOf(file, table)
    expect(rows).toContainEqual(
      ['7', '1.50', '0.25', 'false', '2026-01-31', '2026-01-31 10:00:00.100', '2026-01-31 08:00:00.000 +0000', 'ž'], // biome-ignore format: a row, a line
    )
    expect(rows).toContainEqual(columns.map(() => null))
  })

  it('compressed with gzip is read as well', async () => {
    const { gzipSync } = await import('node:zlib')
    expect(await rowsOf(gzipSync(await parquet('SELECT 1 AS id')))).toEqual([['1']])
  })

  it.each(['PAR1', 'PAR1,b', '"PAR1"'])('is not what begins with its letters as CSV: %s', async header => {
    const cells = header.includes(',') ? ['1', '2'] : ['1']
    expect(await rowsOf(Buffer.from(`${header}\n${cells.join(',')}\n`))).toEqual([cells])
  })

  it('with times of nanoseconds is read to the microsecond, and a warning says so', async () => {
    const file = await written('pyarrow-nanoseconds')
    const { snapshot, warnings } = await tables.load([file, file])
    expect(warnings).toEqual([expect.stringMatching(/^Slice 1 of 2 may have nanoseconds in "at", "time"/)])
    const row = ['1', '2020-01-01 00:00:00.123456 +0000', '00:00:00.000001']
    expect(await tables.rows(snapshot)).toEqual([row, row])
  })

  it('with times of 96 bits, as Spark writes them, has them without a zone', async () => {
    const { snapshot, warnings } = await tables.load(await written('pyarrow-int96'))
    expect(warnings).toEqual([expect.stringContaining('nanoseconds in "at"')])
    expect(await tables.rows(snapshot)).toEqual([['1', '2020-01-01 00:00:00.123456']])
  })

  it('in slices is one load', async () => {
    const slices = await Promise.all([1, 2, 3].map(id => parquet(`SELECT ${id} AS id, 'x' AS note`)))
    const rows = await rowsOf(slices, { source: { columns: ['note', 'id'] } })
    expect(rows.toSorted()).toEqual([
      ['1', 'x'],
      ['2', 'x'],
      ['3', 'x'],
    ])
  })
})

describe('refused with its place is', () => {
  const manyRows = (value: string): string =>
    `SELECT range AS id, CASE WHEN range = 3000 THEN ${value} ELSE NULL END AS value FROM range(5000)`

  it.each([
    ['a number out of range', manyRows('9223372036854775808::UBIGINT'), 'long', 'rowTooLarge'],
    ['a fraction in a whole number', manyRows('1.5'), 'long', 'rowTooLarge'],
    ['no number', manyRows(`'nan'::DOUBLE`), 'double', 'csvImport.invalidValue'],
    ['a text that is no day', manyRows(`'line' || chr(10) || 'break'`), 'date', 'csvImport.invalidValue'],
  ] as const)('%s', async (_, query, type, code) => {
    const table = typedTable(
      { name: 'id', type: 'long', rules: nullable },
      { name: 'value', type, rules: nullable },
    )
    const file = await parquet(query, ', ROW_GROUP_SIZE 2048')
    const found = await refusal(tables.load([await parquet(manyRows('NULL')), file], table))
    expect(found).toMatchObject({ code, params: { source: 'slice 2 of 2', row: 3001, column: 'value' } })
    expect(found.message).toContain('In slice 2 of 2, row 3001, column "value"')
  })

  it('bytes that are no text, and the character NUL', async () => {
    for (const value of [String.raw`'\xFF'::BLOB`, 'chr(0)']) {
      const found = await refusal(tables.load(await parquet(manyRows(value), ', ROW_GROUP_SIZE 2048')))
      expect(found).toMatchObject({
        code: 'csvImport.invalidValue',
        params: { row: 3001, column: 'value' },
      })
      expect(found.message).toContain('The file, row 3001, column "value" has bytes')
    }
  })

  it.each([['a span of time', 'INTERVAL 1 DAY']])('%s, before any row is read', async (_, sql) => {
    const found = await refusal(tables.load(await parquet(`SELECT 1 AS id, ${sql} AS value`)))
    expect(found).toMatchObject({ code: 'csvImport.invalidValue', params: { column: 'value' } })
  })
})

describe('refused is', () => {
  it('a file that is cut off or damaged, without a path of this machine', async () => {
    const file = await parquet(`SELECT range AS id, 'text ' || range AS note FROM range(3000)`)
    const damaged = Buffer.from(file)
    damaged.fill(0xff, 40, 2_000)
    const cuts = Array.from({ length: 40 }, (_, part) =>
      file.subarray(0, 20 + Math.floor((file.length / 40) * part)),
    )
    const changed = Array.from({ length: 40 }, (_, part) => {
      const copy = Buffer.from(file)
      copy.fill(0xff, file.length - 5 * (part + 2), file.length - 5 * (part + 1))
      return copy
    })
    for (const bytes of [...cuts, damaged]) {
      const found = await refusal(tables.load(bytes))
      expect(found.code).toBe('invalidParquet')
      expect(found.message).not.toContain(tables.folder)
    }
    // Some bytes are of a note that no reader needs.
    for (const bytes of changed)
      await tables.load(bytes).catch(error => expect(error).toBeInstanceOf(UserError))
  })

  it('a file without columns, and one that says another number of rows than it has', async () => {
    const bare =
      'UEFSMRUEGRw1ABgGc2NoZW1hFQAAFgAZHBkMFgAWACYAFgAAGRwYDEFSUk9XOnNjaGVtYRhMLy8vLy96QUFBQUFRQUFBQUFBQUtBQXdBQmdBRkFBZ0FDZ0FBQUFBQkJBQU1BQUFBQ0FBSUFBQUFCQUFJQUFBQUJBQUFBQUFBQUFBPQAYIHBhcnF1ZXQtY3BwLWFycm93IHZlcnNpb24gMjYuMC4xGQwApAAAAFBBUjE='
    const found = await refusal(tables.load(Buffer.from(bare, 'base64')))
    expect(found.message).toMatch(/^The file cannot be read as Parquet: .*at least one non-root column/)
    expect(found.message).not.toMatch(/[\w.…>]\/\w|read_parquet|LINE \d/)
    const file = await parquet('SELECT range AS id FROM range(5)')
    // Thrift writes 5 rows of the file (field 3 of its footer) as 0x16 0x0a.
    const at = file.indexOf(
      Buffer.from([0x16, 0x0a, 0x19]),
      file.length - 8 - file.readUInt32LE(file.length - 8),
    )
    file[at + 1] = 0x0c
    expect(await refusal(tables.load(file))).toMatchObject({
      code: 'invalidParquet',
      message: expect.stringContaining('says that it has 6 rows where 5 can be read'),
    })
  })

  it('a decimal of more digits than the engine reads, and a text that is not UTF-8', async () => {
    expect(await refusal(tables.load(await written('pyarrow-decimal256')))).toMatchObject({
      code: 'csvImport.invalidValue',
      params: { column: 'amount' },
    })
    const found = await refusal(tables.load(await written('pyarrow-invalid-utf8')))
    expect(found).toMatchObject({
      code: 'invalidParquet',
      message: expect.stringMatching(/^The file, column "note" cannot be read.*not valid UTF8/),
    })
  })

  it('two columns of one name, and other names in the request', async () => {
    const file = await parquet('SELECT 1 AS "xaa", 2 AS "xaB"')
    expect(await refusal(tables.load(file, { source: { columns: ['xaa', 'c'] } }))).toMatchObject({
      code: 'csvImport.columnsNotMatch',
    })
    const twins = Buffer.from(file.toString('latin1').replaceAll('xaB', 'xaA'), 'latin1')
    expect(await refusal(tables.load(twins))).toMatchObject({
      code: 'storage.tables.validation.invalidColumnName',
      params: { duplicateColumns: ['xaA'] },
    })
  })

  it('a slice with other columns, or in another format, than the first', async () => {
    const first = await parquet('SELECT 1 AS a, 2 AS b')
    for (const other of ['1 AS b, 2 AS a', '1 AS a, 2 AS c', '1 AS a, 2 AS b, 3 AS c'])
      expect(await refusal(tables.load([first, await parquet(`SELECT ${other}`)]))).toMatchObject({
        code: 'csvImport.columnsNotMatch',
        message: expect.stringMatching(/columns of slice 2 of 2 are .*same columns in the same order\.$/),
      })
    expect(await refusal(tables.load([first, 'a,b\n1,2\n']))).toMatchObject({ code: 'invalidParquet' })
    expect(
      await refusal(tables.load([Buffer.from('1,2\n'), first], { source: { columns: ['a', 'b'] } })),
    ).toMatchObject({ code: 'invalidParquet' })
  })
})
