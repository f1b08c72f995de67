import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { refusedForm } from '#lib/table-engine/csv/file-forms.ts'
import { emptySnapshot, withFields } from '#lib/table-engine/files/snapshot.ts'
import { untilEnd } from '#support/until-end.ts'
import { createTableFixture, type LoadOptions } from './support/table-fixture.ts'

const tables = await untilEnd(createTableFixture({ chunkBytes: 500 }))

const rowsOf = async (file: string | Buffer | Buffer[], options: LoadOptions = {}) => {
  const { snapshot } = await tables.load(file, options)
  return { columns: snapshot.fields.map(({ name }) => name), rows: await tables.rows(snapshot) }
}

describe('JSON lines', () => {
  it('load as rows, with every key of the first lines as a column and every digit of numbers', async () => {
    const file = [
      '{"id": 12345678901234567890, "name": "č \\"q\\", \\n"}',
      '',
      '{"name": null, "price": 1.50, "tags": ["a", {"b": 1.0}], "ok": true, "id": 2}\r',
    ].join('\n')
    const expected = {
      columns: ['id', 'name', 'price', 'tags', 'ok'],
      rows: [
        ['12345678901234567890', 'č "q", \n', '', '', ''],
        ['2', '', '1.50', '["a",{"b":1.0}]', 'true'],
      ],
    }
    expect(await rowsOf(file)).toEqual(expected)
    expect(await rowsOf(`\ufeff${file}\n`)).toEqual(expected)
    expect(await rowsOf(gzipSync(file))).toEqual(expected)
  })

  it('find their columns in any order, also in slices', async () => {
    const { snapshot: current } = await tables.load('{"a":1,"b":2}\n{"a":3,"b":4}\n', { primaryKey: ['a'] })
    const more = await tables.load('{"b":"x","a":3}\n', { current, incremental: true })
    expect((await tables.rows(more.snapshot)).toSorted()).toEqual([
      ['1', '2'],
      ['3', 'x'],
    ])
    const slices = [Buffer.from('{"a":1}\n'), Buffer.from('{"a":2}\n')]
    expect((await rowsOf(slices)).rows).toEqual([['1'], ['2']])
  })

  it.each([
    ['{"a":1}\n{"a":\n', /line 2 is not valid JSON/],
    ['{"a":1}\n\n[1]\n', /line 3 is no object/],
    [`{"a":"${'x'.repeat(9 * 1024 ** 2)}"}\n{"a":1,"b":2}\n`, /line 2 has the key "b"/],
    ['[\n  {"a": 1}\n]\n', /is one JSON document.*JSON lines/],
    ['{\n  "a": 1\n}\n', /is one JSON document/],
  ])('that are wrong are refused with the line: %.20s', async (file, message) => {
    await expect(tables.load(file)).rejects.toMatchObject({
      code: 'invalidCsv',
      message: expect.stringMatching(message),
    })
  })

  it('name the row whose cell a column of a typed table cannot hold', async () => {
    const current = withFields(emptySnapshot([], []), [
      { name: 'n', type: 'long', rules: { nullable: true } },
    ])
    await expect(tables.load('{"n":1}\n{"n":"x"}\n', { current, incremental: true })).rejects.toMatchObject({
      code: 'csvImport.invalidValue',
      params: { row: 2 },
    })
  })
})

describe('the form of a file', () => {
  it.each([
    ['[id],name\n', undefined],
    ['id,{"a"}\n', undefined],
    ['%PDF-1.7', /PDF/],
    ['PK\u0003\u0004', /ZIP archive \(or an Excel workbook\)/],
    ['{}', undefined],
  ])('of %j is told by its first bytes', (head, expected) => {
    const said = refusedForm(Buffer.from(head, 'latin1'))
    if (expected === undefined) expect(said).toBeUndefined()
    else expect(said).toMatch(expected)
  })
})
