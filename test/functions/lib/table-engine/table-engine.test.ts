import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CsvSource } from '#lib/table-engine/files/load-request.ts'
import { columnNames } from '#lib/table-engine/files/snapshot.ts'
import { runs } from '#support/thorough.ts'
import { untilEnd } from '#support/until-end.ts'
import { csvCase } from './csv/support/csv-arbitrary.ts'
import { createTableFixture, type TableFixture } from './support/table-fixture.ts'

const tables = await untilEnd(createTableFixture({ chunkBytes: 100, maxSmallFiles: 1_000 }))

describe('a full load', () => {
  it('creates a table with every record, in the order of the file', async () => {
    const { snapshot, ...result } = await tables.load('id,name\n1,"x ""y""\nz"\n2,\n1,last\n')
    expect(snapshot).toMatchObject({ primaryKey: [], rowsCount: 3 })
    expect(columnNames(snapshot)).toEqual(['id', 'name'])
    expect(snapshot.dataSizeBytes).toBe(snapshot.files.reduce((sum, { bytes }) => sum + bytes, 0))
    expect(result).toEqual({
      importedColumns: ['id', 'name'],
      importedRowsCount: 3,
      replacedRowsCount: 0,
      warnings: [],
      inBytes: 32,
      bytesRead: 0,
      isCompressed: false,
      renamed: [],
    })
    expect(await tables.rows(snapshot)).toEqual([
      ['1', 'x "y"\nz'],
      ['2', ''],
      ['1', 'last'],
    ])
  })

  it('tells how many rows it has read, part by part', async () => {
    const told: number[] = []
    const csv = `n\n${Array.from({ length: 200 }, (_, n) => `${n}\n`).join('')}`
    await tables.load(csv, { onRows: rows => told.push(rows) })
    expect(told.length).toBeGreaterThan(3)
    expect(told).toEqual(told.toSorted((a, b) => a - b))
    expect(told.at(-1)).toBe(200)
  })

  it('gives back any table of any text, in any dialect and however many files it becomes', async () => {
    await fc.assert(
      fc.asyncProperty(csvCase({ maxRows: 20 }), async ({ csv, rows, delimiter, enclosure }) => {
        const columns = (rows[0] ?? []).map((_, index) => `c${index}`)
        const { snapshot } = await tables.load(csv, { source: { columns, delimiter, enclosure } })
        expect(snapshot.rowsCount).toBe(rows.length)
        expect(await tables.rows(snapshot)).toEqual(rows)
      }),
      { numRuns: runs(60) },
    )
  })

  it('replaces all rows of a table and keeps the order of its columns', async () => {
    const { snapshot: before } = await tables.load('a,b\n1,2\n', { primaryKey: ['a'] })
    const { snapshot, importedColumns } = await tables.load('b,a\n4,3\n', { current: before })
    expect(snapshot).toMatchObject({ primaryKey: ['a'], rowsCount: 1 })
    expect(importedColumns).toEqual(['b', 'a'])
    expect(await tables.rows(snapshot)).toEqual([['3', '4']])
  })

  it('of a header alone makes a table without rows', async () => {
    const { snapshot } = await tables.load('a,b\n')
    expect(snapshot).toMatchObject({ files: [], rowsCount: 0, dataSizeBytes: 0 })
    expect(await tables.rows(snapshot)).toEqual([])
  })

  it('repeated, writes the same objects and gives the same result', async () => {
    const csv = `id,text\n${Array.from({ length: 50 }, (_, id) => `${id % 40},"row ""${id}"""\n`).join('')}`
    const options = { keyPrefix: 'tables/7/load/', loadedAt: new Date(0), primaryKey: ['id'] }
    tables.log.splice(0)
    const first = await tables.load(csv, options)
    const written = tables.log.splice(0)
    expect(await tables.load(csv, options)).toEqual(first)
    expect(tables.log).toEqual(written)
    expect(first.snapshot.files.every(({ key }) => key.startsWith('tables/7/load/'))).toBe(true)
  })

  it('runs beside others in one process', async () => {
    const loads = await Promise.all(
      ['x', 'y', 'z'].map(text => tables.load(`id,text\n${`1,${text}\n`.repeat(60)}`)),
    )
    const rows = await Promise.all(loads.map(({ snapshot }) => tables.rows(snapshot)))
    expect(rows.map(rows => [rows.length, rows.at(-1)])).toEqual([
      [60, ['1', 'x']],
      [60, ['1', 'y']],
      [60, ['1', 'z']],
    ])
  })

  it('leaves no scratch files, whether it succeeds or fails', async () => {
    await tables.load('a\n1\n')
    await tables.load(`a,b\n${'1,2\n'.repeat(100)}1\n`).catch(() => undefined)
    expect(await tables.scratch()).toEqual([])
  })
})

describe('what DuckDB alone would read otherwise', () => {
  const cases: { it: string; csv: string; rows: string[][]; source?: Partial<CsvSource> }[] = [
    { it: 'blank lines of one column are rows', csv: 'a\n\n1\n\n\n', rows: [[''], ['1'], [''], ['']] },
    { it: 'CRLF after quoted cells of one column ends one row', csv: 'a\r\n"x"\r\n"y\r\n"\r\n', rows: [['x'], ['y\r\n']] },
    { it: 'CR and CRLF in quotes stay', csv: 'a,b\n"\r","\r\n"\n', rows: [['\r', '\r\n']] },
    { it: 'LF and CRLF may be mixed', csv: 'a,b\r\n1,2\n3,4\r\n"5",6\n', rows: [['1', '2'], ['3', '4'], ['5', '6']] },
    { it: 'NULL is a word', csv: 'a,b\nNULL,\\N\n"NULL",null\n', rows: [['NULL', '\\N'], ['NULL', 'null']] },
    { it: 'empty and missing are both empty', csv: 'a,b\n"",\n', rows: [['', '']] },
    { it: 'numbers and dates are text', csv: 'a,b\n007,1e3\n2024-01-01,TRUE\n', rows: [['007', '1e3'], ['2024-01-01', 'TRUE']] },
    { it: 'spaces stay', csv: 'a,b\n x , y\n', rows: [[' x ', ' y']] },
    { it: 'a hash begins no comment', csv: 'a,b\n#1,2\n', rows: [['#1', '2']] },
    { it: 'a header that looks like data is one', csv: '1,2\n3,4\n', rows: [['3', '4']] },
    { it: 'a second header is data', csv: 'a,b\na,b\n', rows: [['a', 'b']] },
    { it: 'columns named like DuckDB\'s own', csv: 'filename,file_row_number,file_index\nx,y,z\n', rows: [['x', 'y', 'z']] },
    { it: 'a byte order mark within a file', csv: `a\n${'x'.repeat(99)}\n\ufeffy\n`, rows: [['x'.repeat(99)], ['\ufeffy']] },
    { it: 'the tab, spelled out', csv: 'a\tb\n1\t"2\t"\n', rows: [['1', '2\t']], source: { delimiter: '\\t' } },
    { it: 'no quoting', csv: 'a,b\n"1,2"\n', rows: [['"1', '2"']], source: { enclosure: '' } },
    { it: 'escapes', csv: 'a,b\n1\\,2,\\\\"3"\\\n4\n', rows: [['1,2', '\\"3"\n4']], source: { enclosure: '', escapedBy: '\\' } },
  ] // biome-ignore format: one case, one line
  it.each(cases)('$it', async ({ csv, rows, source }) => {
    const { snapshot } = await tables.load(csv, source ? { source } : {})
    expect(await tables.rows(snapshot)).toEqual(rows)
  })
})

describe('a file that is wrong', () => {
  const create: { it: string; csv: string | Uint8Array; code: string; message: RegExp; source?: Partial<CsvSource> }[] = [
    { it: 'ragged', csv: 'a,b\n1,2\n3\n', code: 'invalidCsv', message: /^Load error: .*\(1\).*\(2\) at line 3, byte 8/ },
    { it: 'an unclosed quote', csv: 'a,b\n1,"2\n', code: 'invalidCsv', message: /line 2, byte 6/ },
    { it: 'a stray quote', csv: 'a,b\n1,2"\n', code: 'invalidCsv', message: /line 2, byte 7/ },
    { it: 'a NUL byte', csv: 'a,b\n1,\0\n', code: 'invalidCsv', message: /line 2, byte 6/ },
    { it: 'a lone CR', csv: 'a,b\r1,2\r', code: 'invalidCsv', message: /line 1, byte 3/ },
    { it: 'invalid UTF-8', csv: Buffer.from('a,b\n1,\xe9\n', 'latin1'), code: 'invalidCsv', message: /line 2, byte 6/ },
    { it: 'the delimiter doubled', csv: 'a||b\n1||2\n', code: 'invalidCsv', message: /one character/, source: { delimiter: '||' } },
    { it: 'enclosure and escape together', csv: 'a\n', code: 'csvImport.invalidCsvParams', message: /Only one/, source: { escapedBy: '\\' } },
    { it: 'truncated gzip', csv: gzipSync('a,b\n1,2\n').subarray(0, -6), code: 'invalidCsv', message: /cut off/ },
    { it: 'empty', csv: '', code: 'storage.tables.validation.noColumns', message: /empty/ },
    { it: 'compressed nothing', csv: gzipSync(''), code: 'storage.tables.validation.noColumns', message: /empty/ },
    { it: 'duplicate columns', csv: 'a,B,b\n', code: 'storage.tables.validation.invalidColumnName', message: /more than one column.*"b"/ },
    { it: 'duplicates once sanitised', csv: 'a b,a-b\n', code: 'storage.tables.validation.invalidColumnName', message: /"a_b"/ },
    { it: 'a column without a name', csv: 'a,,c\n', code: 'storage.tables.validation.invalidColumnName', message: /Column 2/ },
    { it: 'a name of 65 characters', csv: `${'x'.repeat(65)}\n`, code: 'storage.tables.validation.invalidColumnName', message: /64/ },
    { it: 'too many columns', csv: Array.from({ length: 2001 }, (_, i) => `c${i}`).join(','), code: 'storage.maxNumberOfColumnsExceed', message: /2001/ },
    { it: 'no header and no columns', csv: 'a\n', code: 'storage.tables.validation.invalidColumnName', message: /without headers/, source: { withoutHeaders: true } },
  ] // biome-ignore format: one case, one line
  it.each(create)('makes no table: $it', async ({ csv, code, message, source }) => {
    await expect(tables.load(csv, source ? { source } : {})).rejects.toMatchObject({
      name: 'UserError',
      code,
      message: expect.stringMatching(message),
    })
  })

  it('makes no table when the primary key is none of its columns', async () => {
    await expect(tables.load('a,b\n1,2\n', { primaryKey: ['a', 'B'] })).rejects.toMatchObject({
      code: 'storage.tables.validation.invalidPrimaryKeyColumns',
      params: { unknownColumns: ['B'] },
    })
  })

  it('lacks columns of the table, or seems to with another delimiter', async () => {
    const { snapshot } = await tables.load('a,b,c\n1,2,3\n')
    const load = tables.load('a;b;c\n1;2;3\n', { current: snapshot, incremental: true })
    await expect(load).rejects.toMatchObject({
      code: 'csvImport.columnsNotMatch',
      params: { missingColumns: ['a', 'b', 'c'], expectedColumns: ['a', 'b', 'c'] },
      message:
        'Some columns are missing in the csv file. Missing columns: a,b,c. Expected columns: a,b,c. ' +
        'Please check if the expected delimiter "," is used in the csv file.',
    })
    await expect(tables.load('', { current: snapshot })).rejects.toMatchObject({
      code: 'csvImport.columnsNotMatch',
    })
    await expect(tables.load('A,b,c\n', { current: snapshot })).rejects.toMatchObject({
      params: { missingColumns: ['a'] },
    })
  })

  it('leaves the objects of the table alone', async () => {
    const { snapshot } = await tables.load('a,b\n1,2\n', { primaryKey: ['a'] })
    tables.log.splice(0)
    await expect(tables.load('a,b\n1,3\n4\n', { current: snapshot, incremental: true })).rejects.toThrow(
      'Load error',
    )
    expect(tables.log).toEqual([])
    expect(await tables.rows(snapshot)).toEqual([['1', '2']])
  })
})

describe('where the columns come from', () => {
  it('the parameter "columns": the file has no header', async () => {
    const { snapshot } = await tables.load('1,2\n', { source: { columns: ['Größe', 'b'] } })
    expect(columnNames(snapshot)).toEqual(['Grosse', 'b'])
    expect(await tables.rows(snapshot)).toEqual([['1', '2']])
  })

  it('the parameter "columns" with ignored lines', async () => {
    const { snapshot } = await tables.load('x,y\n\n1,2\n', {
      source: { columns: ['a', 'b'], ignoredLinesCount: 2 },
    })
    expect(await tables.rows(snapshot)).toEqual([['1', '2']])
  })

  it('the header, itself the first of the ignored lines', async () => {
    const { snapshot } = await tables.load('a,b\nunit,unit\n1,2\n', { source: { ignoredLinesCount: 2 } })
    expect(columnNames(snapshot)).toEqual(['a', 'b'])
    expect(await tables.rows(snapshot)).toEqual([['1', '2']])
  })

  it('the table, for a file without headers', async () => {
    const { snapshot: current } = await tables.load('a,b\n')
    const { snapshot } = await tables.load('1,2\n', { current, source: { withoutHeaders: true } })
    expect(await tables.rows(snapshot)).toEqual([['1', '2']])
  })

  it('the header, sanitised', async () => {
    const { snapshot } = await tables.load('language-id,"Preis (€)"\n1,2\n')
    expect(columnNames(snapshot)).toEqual(['language_id', 'Preis_EUR'])
  })

  it('further columns of a file are added to the table, empty in older rows', async () => {
    const { snapshot: current } = await tables.load('a\n1\n')
    const { snapshot } = await tables.load('new,a\nx,2\n', { current, incremental: true })
    expect(columnNames(snapshot)).toEqual(['a', 'new'])
    expect(await tables.rows(snapshot)).toEqual([
      ['1', ''],
      ['2', 'x'],
    ])
  })
})

describe('a sliced file', () => {
  const source = { columns: ['a', 'b'] }

  it('is the records of all slices in order, compressed or not, each ending with its slice', async () => {
    const slices = ['1,2\n3,4', '', gzipSync('5,6\r\n'), '\ufeff7,8\n']
    const { snapshot, ...result } = await tables.load(slices, { source })
    expect(await tables.rows(snapshot)).toEqual([
      ['1', '2'],
      ['3', '4'],
      ['5', '6'],
      ['7', '8'],
    ])
    expect(snapshot.files).toHaveLength(1)
    expect(result).toMatchObject({ isCompressed: true, importedRowsCount: 4 })
  })

  it('names the slice that is wrong', async () => {
    await expect(tables.load(['1,2\n', '3,4\n"5,6\n'], { source })).rejects.toMatchObject({
      message: expect.stringContaining(
        'slice 2 of 2, line 2, byte 4: The quote that opens here is never closed',
      ),
    })
    await expect(tables.load(['1,2\n', gzipSync('3,4\n').subarray(0, 9)], { source })).rejects.toMatchObject({
      message: expect.stringMatching(/^Slice 2 of 2 is compressed with gzip, but .* cut off/),
    })
  })

  it('has no header, so its columns must be known', async () => {
    await expect(tables.load(['1,2\n'])).rejects.toMatchObject({
      code: 'storage.tables.validation.invalidColumnName',
    })
    const { snapshot: current } = await tables.load('a,b\n')
    await expect(tables.load(['a,b\n1,2\n'], { current })).rejects.toMatchObject({
      code: 'csvImport.columnsNotMatch',
    })
  })

  it('of nothing empties the table', async () => {
    const { snapshot: current } = await tables.load('a,b\n1,2\n')
    const { snapshot } = await tables.load([], { current, source })
    expect(snapshot.rowsCount).toBe(0)
  })
})

describe('values', () => {
  it('that count as null become empty', async () => {
    const { snapshot } = await tables.load("a,b\nfrench,'x'\n\"french\",'\n", {
      source: { treatValuesAsNull: ['french', "'"] },
    })
    expect(await tables.rows(snapshot)).toEqual([
      ['', "'x'"],
      ['', ''],
    ])
  })
})

describe('large tables', () => {
  let large: TableFixture
  beforeAll(async () => {
    large = await createTableFixture()
  })
  afterAll(() => large.close())

  const cells = {
    'each value once': (row: number, column: number) => `${row}/${column}`,
    // Of which DuckDB makes dictionaries
    'values that come again': (row: number) => String(row % 5),
    'empty cells': () => '',
  }
  it.each(Object.entries(cells))('of 2,000 columns: %s', async (_, cell) => {
    const names = Array.from({ length: 2_000 }, (_, index) => `column_${index}`)
    const rows = Array.from({ length: 50 }, (_, row) => names.map((_, column) => cell(row, column)))
    const csv = [names, ...rows].map(row => row.join(',')).join('\n')
    const { snapshot } = await large.load(csv)
    expect(columnNames(snapshot)).toEqual(names)
    expect(await large.rows(snapshot)).toEqual(rows)
  })

  it('of values of 1 MB and of 16 MB, with quotes and line breaks', async () => {
    const big = 'größer "als" \r\n'.repeat(1_100_000)
    const values = ['small', big.slice(0, 1_000_000), big, '']
    const csv = `id,text\n${values.map((value, id) => `${id},"${value.replaceAll('"', '""')}"\n`).join('')}`
    const { snapshot } = await large.load(csv, { primaryKey: ['id'] })
    const { rows } = await large.engine.preview(snapshot, { limit: 10 })
    expect(rows.map(([, text]) => text?.length)).toEqual(values.map(value => value.length))
    expect(rows.every(([id, text]) => text === values[Number(id)])).toBe(true)
  })

  it('become several files, and keep their order', async () => {
    const line = (id: number): string => `${id},"${'x'.repeat(1_000)}${id}"\n`
    const csv = `id,text\n${Array.from({ length: 20_000 }, (_, id) => line(id)).join('')}`
    const { snapshot } = await large.load(csv)
    expect(snapshot.files.length).toBe(3)
    const { rows } = await large.engine.preview(snapshot, { columns: ['id'], limit: 20_000 })
    expect(rows.map(([id]) => Number(id))).toEqual(Array.from({ length: 20_000 }, (_, id) => id))
  })
})
