import { describe, expect, it } from 'vitest'
import type { DataFile } from '#lib/iceberg/manifests/data-file.ts'
import type { FieldType, NestedField } from '#lib/iceberg/metadata/types.ts'
import type { Cell } from '#support/iceberg/parquet-cell.ts'
import { readRows } from '#support/iceberg/read-rows.ts'
import { icebirdRows } from '#support/icebird-view.ts'
import { untilEnd } from '#support/until-end.ts'
import { createParquetFiles, type FileColumn } from './support/parquet-files.ts'
import { createTableWriter, dataFile, textField } from './support/table-writer.ts'

const parquet = await untilEnd(createParquetFiles())

const field = (id: number, name: string, type: FieldType): NestedField => ({
  ...textField(id, name),
  type,
})

const writeFile = async (
  table: ReturnType<typeof createTableWriter>,
  name: string,
  columns: FileColumn[],
  rows: (string | null)[][],
  extra: Partial<DataFile> = {},
): Promise<DataFile> => {
  const content = await parquet.write(columns, rows)
  return table.keep(dataFile(name, content, rows.length, extra), content)
}

const names: FileColumn[] = [
  { id: 2, name: 'id' },
  { id: 3, name: 'city' },
]
const fields = [textField(2, 'id'), textField(3, 'city')]

describe('a table is read cell by cell', () => {
  it.each<[FieldType, string, string, Cell]>([
    ['string', 'VARCHAR', '', ''],
    ['string', 'VARCHAR', 'čeština 😀', 'čeština 😀'],
    ['boolean', 'BOOLEAN', 'true', true],
    ['long', 'BIGINT', '9007199254740993', 9007199254740993n],
    ['double', 'DOUBLE', '1e300', 1e300],
    ['decimal(5,2)', 'DECIMAL(5,2)', '-1.50', '-1.50'],
    ['decimal(18,3)', 'DECIMAL(18,3)', '123456789012345.678', '123456789012345.678'],
    ['decimal(38,10)', 'DECIMAL(38,10)', '-0.0000000001', '-0.0000000001'],
    ['date', 'DATE', '1969-12-31', '1969-12-31'],
    ['timestamp', 'TIMESTAMP', '2026-11-21 12:00:00.123456', '2026-11-21T12:00:00.123456'],
    ['timestamptz', 'TIMESTAMPTZ', '1969-12-31 23:59:59.999999Z', '1969-12-31T23:59:59.999999Z'],
  ])('%s from %s %j, and null', async (type, duckType, text, cell) => {
    const table = createTableWriter()
    const file = await writeFile(table, '1', [{ id: 2, name: 'x', type: duckType }], [[text], [null]])
    const { metadata } = await table.commit({ fields: [field(2, 'x', type)], added: [file] })
    expect(await readRows(table.read, metadata)).toEqual({ columns: ['x'], rows: [[cell], [null]] })
  })

  it('after columns were renamed, dropped and added', async () => {
    const table = createTableWriter()
    const columns = [...names, { id: 4, name: 'n', type: 'BIGINT' }]
    const first = await writeFile(table, '1', columns, [['1', 'Praha', '5']])
    await table.commit({ fields: [...fields, field(4, 'n', 'long')], added: [first] })
    const now = [field(4, 'n', 'long'), textField(2, 'key'), textField(5, 'city')]
    const { metadata, location } = await table.commit({ fields: now })
    expect(await readRows(table.read, metadata)).toEqual({
      columns: ['n', 'key', 'city'],
      rows: [[5n, '1', null]],
    })
    expect(await icebirdRows(table.read, location)).toEqual([{ n: 5n, key: '1', city: undefined }])
    const [before] = metadata.snapshots
    expect(
      await readRows(table.read, { ...metadata, 'current-snapshot-id': undefined }, before?.['snapshot-id']),
    ).toEqual({
      columns: ['id', 'city', 'n'],
      rows: [['1', 'Praha', 5n]],
    })
  })

  it('without a snapshot it is empty', async () => {
    const table = createTableWriter()
    const { metadata } = await table.commit({ fields })
    expect(await readRows(table.read, metadata)).toEqual({ columns: ['id', 'city'], rows: [] })
  })
})

describe('a file is refused by a sentence', () => {
  it('when it is shorter than its manifest says', async () => {
    const table = createTableWriter()
    const content = await parquet.write(names, [['1', 'a']])
    const file = table.keep(dataFile('1', content, 1), content.subarray(0, content.length - 9))
    const { metadata } = await table.commit({ fields, added: [file] })
    await expect(readRows(table.read, metadata)).rejects.toThrow(`ends before its ${content.length} bytes`)
  })
})
