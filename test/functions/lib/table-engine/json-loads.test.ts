import { existsSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { emptySnapshot, withFields } from '#lib/table-engine/files/snapshot.ts'
import { untilEnd } from '#support/until-end.ts'
import { createTableFixture, type LoadOptions } from './support/table-fixture.ts'

const tables = await untilEnd(createTableFixture({ chunkBytes: 500 }))

const rowsOf = async (file: string | Buffer | (string | Buffer)[], options: LoadOptions = {}) => {
  const { snapshot, importedRowsCount } = await tables.load(file, options)
  const rows = await tables.rows(snapshot)
  if (!options.current) expect(rows).toHaveLength(importedRowsCount)
  return { columns: snapshot.fields.map(({ name }) => name), rows }
}

/** The forms in which programs write objects. */
const WRITTEN: Record<string, (rows: readonly string[]) => string> = {
  'on lines': rows => `${rows.join('\n')}\n`,
  'on lines, without the last line end': rows => rows.join('\n'),
  'on lines with CRLF, blank ones between and at the end': rows => `${rows.join('\r\n\r\n')}\r\n\r\n`,
  'in a list': rows => `[${rows.join(',')}]`,
  'in a list, a line each': rows => `[\n  ${rows.join(',\n  ')}\n]\n`,
  'in a list, indented': rows => `\n${JSON.stringify(rows.map(row => JSON.parse(row)), null, 2)}\n\n`,
} // biome-ignore format: one form, one line

describe.each(Object.entries(WRITTEN))('JSON %s', (name, write) => {
  it('loads as rows, with the keys of all objects as columns and every digit of numbers', async () => {
    const keepsDigits = !name.includes('indented')
    const objects = [
      `{"id": ${keepsDigits ? '12345678901234567890' : '7'}, "name": "č \\"q\\", ]}[{ \\n"}`,
      '{"name": null, "price": 1.25, "tags": ["a", {"b": "\\ud83d\\ude00"}], "ok": true, "id": 2}',
      '{"late": "\\\\u0000"}',
    ]
    const expected = {
      columns: ['id', 'name', 'price', 'tags', 'ok', 'late'],
      rows: [
        [keepsDigits ? '12345678901234567890' : '7', 'č "q", ]}[{ \n', '', '', '', ''],
        ['2', '', '1.25', '["a",{"b":"😀"}]', 'true', ''],
        ['', '', '', '', '', '\\u0000'],
      ],
    }
    const file = write(objects)
    for (const form of [file, `\ufeff${file}`, gzipSync(file)]) expect(await rowsOf(form)).toEqual(expected)
  })

  it('loads any objects, whatever keys they have, and in any slices', async () => {
    const rows = fc.array(
      fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.string({ unit: 'grapheme' }), { minKeys: 1 }),
      { minLength: 1, maxLength: 8 },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(rows, { minLength: 1, maxLength: 3 }), async slices => {
        const usable = slices.map(slice => slice.map(row => withoutNul(row)))
        const columns = [...new Set(usable.flat().flatMap(Object.keys))]
        const files = usable.map(slice => write(slice.map(row => JSON.stringify(row))))
        const found = await rowsOf(files.length === 1 ? (files[0] ?? '') : ['', ...files, ''])
        expect(found).toEqual({ columns, rows: usable.flat().map(row => columns.map(key => row[key] ?? '')) })
      }),
      { numRuns: 12 },
    )
  })

  it.each([
    ['Windows-1252', Buffer.from('"K\xf6ln"', 'latin1'), 2, /not UTF-8/],
    ['Shift-JIS', Buffer.from('"\x93\xfa\x96\x7b"', 'latin1'), 1, /not UTF-8/],
    ['CESU-8', Buffer.from('"\xed\xa0\xbd\xed\xb8\x80"', 'latin1'), 1, /not UTF-8/],
    ['half a character', Buffer.from('"x\xc3"', 'latin1'), 2, /not UTF-8/],
    ['NUL', Buffer.from('"ab\0"', 'latin1'), 3, /NUL/],
    ['NUL as an escape', Buffer.from('"é\\u0000"'), 3, /NUL/],
    ['the first half of a pair', Buffer.from('"\\\\\\ud83d"'), 3, /half a character/],
    ['the second half of a pair', Buffer.from('"\\uDE00\\ud83d\\ude00"'), 1, /half a character/],
  ])('refuses %s with its line and byte, wherever it stands', async (_, cell, at, problem) => {
    const fine = '{"id": 1, "name": "č"}'
    for (const before of [0, 1, 40])
      for (const compress of [(file: Buffer) => file, (file: Buffer) => gzipSync(file)]) {
        const marked = write([...Array(before).fill(fine), '{"id": 2, "name": "@@"}', fine])
        const [start = '', end = ''] = marked.split('"@@"')
        const file = Buffer.concat([Buffer.from(start), cell, Buffer.from(end)])
        await expect(tables.load(compress(file))).rejects.toMatchObject({
          code: 'invalidCsv',
          message: expect.stringMatching(problem),
          params: { byte: Buffer.byteLength(start) + at, line: expect.any(Number) },
        })
      }
  })
})

/** No text has NUL, and JSON of half a character is refused. */
const withoutNul = (row: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(row).map(([key, text]) => [key, text.replaceAll('\0', '').toWellFormed()]),
  )

describe('JSON', () => {
  it('without a key of the table has it empty, but for a key and for rows that are there', async () => {
    const { snapshot: current } = await tables.load('{"a":1,"b":2}\n', { primaryKey: ['a'] })
    const more = await tables.load('{"b":"x","a":3}\n', { current, incremental: true })
    expect(await tables.rows(more.snapshot)).toEqual([['1', '2'], ['3', 'x']]) // biome-ignore format: rows
    expect((await rowsOf('{"a":4}\n', { current })).rows).toEqual([['4', '']])
    const lacks = (message: RegExp) => ({
      code: 'csvImport.columnsNotMatch',
      message: expect.stringMatching(message),
    })
    await expect(tables.load('{"a":4}\n', { current, incremental: true })).rejects.toMatchObject(
      lacks(/send whole rows/),
    )
    await expect(tables.load('[{"b":4}]', { current })).rejects.toMatchObject(lacks(/The primary key has a/))
    const { snapshot: unkeyed } = await tables.load('{"a":1,"b":2}\n')
    const appended = await rowsOf('[{"c":3,"a":9}]', { current: unkeyed, incremental: true })
    expect(appended.rows).toEqual([['1', '2', ''], ['9', '', '3']]) // biome-ignore format: rows
    await expect(tables.load('[{"c":3}]', { current: unkeyed, incremental: true })).rejects.toThrow(
      /keys of the objects/,
    )
  })

  it('has its keys looked for in the whole file, not in its beginning', async () => {
    const long = `{"a":"${'x'.repeat(9 * 1024 ** 2)}"}`
    const { columns, rows } = await rowsOf(`${long}\n{"a":1,"b":2}\n`)
    expect([columns, rows.at(-1)]).toEqual([['a', 'b'], ['1', '2']]) // biome-ignore format: rows
  })

  it.each([
    ['{"a":1}\n{"a":\n', /line 2, byte 8: Unexpected end/],
    ['{"a":1}\n\n[1]\n', /line 3, byte 9: This is no object/],
    ['[{"a":1},\n 7]', /line 2, byte 11: This is no object/],
    ['[{"a":1},\n]', /line 2, byte 10: The list has a comma too many/],
    ['[{"a":1}', /line 1, byte 8: The list is not closed/],
    ['[{"a":1}]\n[{"a":2}]', /line 2, byte 10: Something follows the end of the list/],
    ['{\n  "a": 1\n}\n', /is one JSON document.*jq/],
    ['[[1, 2]]', /is one JSON document/],
  ])('that is wrong is refused with the place: %s', async (file, message) => {
    await expect(tables.load(file)).rejects.toMatchObject({
      code: 'invalidCsv',
      message: expect.stringMatching(message),
    })
  })

  it.each(['{}', '{}\n{}\n', '[]', '[{}]'])('without a key is said to be so: %j', async file => {
    const { snapshot: current } = await tables.load('a\n1\n')
    for (const options of [{}, { current }, { current, incremental: true }])
      await expect(tables.load(file, options)).rejects.toThrow(/The file has no keys/)
  })

  it.each([
    ['lists', '[', ']'],
    ['objects', '{"a":', '}'],
    ['objects with numbers as keys', '{"1":', '}'],
  ])(
    'nested deeper than what walks through it can take is refused with its line, and 500 load: %s',
    async (_, open, close) => {
      const nested = (depth: number): string => `${open.repeat(depth)}1${close.repeat(depth)}`
      for (const depth of [501, 100_000])
        await expect(tables.load(`{"a":1}\n{"a":${nested(depth - 1)}}\n`)).rejects.toMatchObject({
          code: 'invalidCsv',
          params: { line: 2 },
          message: expect.stringContaining(`nested ${depth} deep`),
        })
      expect((await rowsOf(`{"a":${nested(499)}}\n`)).rows).toEqual([[nested(499)]])
    },
  )

  it('names the row whose cell a column of a typed table cannot hold', async () => {
    const current = withFields(emptySnapshot([], []), [
      { name: 'n', type: 'long', rules: { nullable: true } },
    ])
    await expect(tables.load('{"n":1}\n{"n":"x"}\n', { current, incremental: true })).rejects.toMatchObject({
      code: 'csvImport.invalidValue',
      params: { row: 2 },
    })
  })
})

it.each([
  ['PostgreSQL, COPY as CSV', 'id,name,note\n1,"Jo ""J"" O\nNeil",\n2,"a,b;c\\n",""\n3,tab\tžluť,x\n'],
  ['PostgreSQL, to_json', '{"id":1,"name":"Jo \\"J\\" O\\nNeil","note":null}\n{"id":2,"name":"a,b;c\\\\n","note":""}\n{"id":3,"name":"tab\\tžluť","note":"x"}\n'],
  ['MySQL, JSON_OBJECT', '{"id": 1, "name": "Jo \\"J\\" O\\nNeil", "note": null}\n{"id": 2, "name": "a,b;c\\\\n", "note": ""}\n{"id": 3, "name": "tab\\tžluť", "note": "x"}\n'],
  ['SQLite', 'id,name,note\r\n1,"Jo ""J"" O\nNeil",\r\n2,"a,b;c\\n",""\r\n3,"tab\tžluť",x\r\n'],
])('what %s writes loads with every letter', async (_, file) => {
  const rows = [['1', 'Jo "J" O\nNeil', ''], ['2', 'a,b;c\\n', ''], ['3', 'tab\tžluť', 'x']]
  expect((await rowsOf(file)).rows).toEqual(rows)
}) // biome-ignore format: one case, one line

it('what Excel writes where commas part decimals loads by its delimiter', async () => {
  const source = { delimiter: ';' }
  const found = await rowsOf('\ufeffid;price\r\n1;"2,50"\r\n2;3,5\r\n', { source })
  expect(found).toEqual({ columns: ['id', 'price'], rows: [['1', '2,50'], ['2', '3,5']] }) // biome-ignore format: rows
})

const CASES = '../shared/conformance/public-cases/'

describe.skipIf(!existsSync(CASES))('files that people reported', () => {
  it.each([
    ['a02-latin1.jsonl', 2, 40],
    ['a02-latin1.jsonl.gz', 2, 26],
    ['a02-latin1-first.jsonl', 1, 17],
    ['a02-control.csv', 2, 11],
    ['a04-nul.jsonl', 3, 50],
  ])('%s: refused at line %i, byte %i', async (file, line, byte) => {
    await expect(tables.load(readFileSync(CASES + file))).rejects.toMatchObject({ params: { line, byte } })
  })

  it('a03: a key that is missing on the second day is empty', async () => {
    const { snapshot: current } = await tables.load(readFileSync(`${CASES}a03-day1.jsonl`))
    const more = await rowsOf(readFileSync(`${CASES}a03-day2.jsonl`), { current, incremental: true })
    expect(more.rows).toEqual([['1', 'first'], ['2', '']]) // biome-ignore format: rows
  })

  it('a05: headings of other scripts are names of columns, and said', async () => {
    const load = async (file: string) => tables.load(readFileSync(CASES + file))
    expect(await load('a05-cyrillic.csv')).toMatchObject({
      importedColumns: ['column_2b69cba5', 'column_f08ca02a'],
      warnings: [expect.stringContaining('"ид" is column_2b69cba5')],
    })
    expect((await load('a05-half-latin.csv')).importedColumns).toEqual(['ID_9da4fcce', 'ID_4cd16963'])
  })

  it('a01: all rows of Parquet with a column file_row_number', async () => {
    const { columns, rows } = await rowsOf(readFileSync(`${CASES}a01-row-number.parquet`))
    const at = columns.indexOf('file_row_number')
    expect(rows.map(row => row[at])).toEqual(['1', '2', '3'])
  })

  it('a08: what mysql --batch writes is refused at its first quote', async () => {
    const source = { delimiter: '\t' }
    await expect(tables.load(readFileSync(`${CASES}a08-batch.tsv`), { source })).rejects.toMatchObject({
      params: { line: 2, byte: 13 },
    })
  })

  it('a09: Parquet without columns is refused without a path and SQL', async () => {
    await expect(tables.load(readFileSync(`${CASES}a09-no-columns.parquet`))).rejects.toThrow(
      /^(?!.*(read_parquet|SELECT|\/tmp)).*column/i,
    )
  })

  it('a10: a column may be called ORC', async () => {
    expect((await rowsOf(readFileSync(`${CASES}a10-orc.csv`))).columns).toEqual(['ORC'])
  })

  it('a06: compressions are refused by their names', async () => {
    await expect(tables.load(readFileSync(`${CASES}a06-deflate.csv`))).rejects.toThrow(/zlib/)
    await expect(tables.load(readFileSync(`${CASES}a06-double.csv.gz`))).rejects.toThrow(/gzip twice/)
  })
})
