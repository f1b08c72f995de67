import { describe, expect, it } from 'vitest'
import type { DataFile, ManifestEntry } from '#lib/iceberg/manifests/data-file.ts'
import type { NestedField, PrimitiveType } from '#lib/iceberg/metadata/types.ts'
import { pairWithDeletes } from '#lib/iceberg/read/live-files.ts'
import type { Cell } from '#lib/iceberg/values/bounds.ts'
import { NAME_MAPPING_PROPERTY } from '#support/iceberg/name-mapping.ts'
import { readRows } from '#support/iceberg/read-rows.ts'
import { icebirdRows } from '#support/icebird-view.ts'
import { untilEnd } from '#support/until-end.ts'
import { createParquetFiles, type FileColumn } from './support/parquet-files.ts'
import { createTableWriter, dataFile, textField } from './support/table-writer.ts'

const parquet = await untilEnd(createParquetFiles())

const field = (id: number, name: string, type: PrimitiveType): NestedField => ({
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
const positions: FileColumn[] = [
  { id: 2147483546, name: 'file_path' },
  { id: 2147483545, name: 'pos', type: 'BIGINT' },
]

describe('a table is read cell by cell', () => {
  it.each<[PrimitiveType, string, string, Cell]>([
    ['string', 'VARCHAR', '', ''],
    ['string', 'VARCHAR', 'čeština 😀', 'čeština 😀'],
    ['boolean', 'BOOLEAN', 'true', true],
    ['int', 'INTEGER', '-7', -7],
    ['long', 'BIGINT', '9007199254740993', 9007199254740993n],
    ['float', 'FLOAT', '0.5', 0.5],
    ['double', 'DOUBLE', '1e300', 1e300],
    ['decimal(5,2)', 'DECIMAL(5,2)', '-1.50', '-1.50'],
    ['decimal(18,3)', 'DECIMAL(18,3)', '123456789012345.678', '123456789012345.678'],
    ['decimal(38,10)', 'DECIMAL(38,10)', '-0.0000000001', '-0.0000000001'],
    ['date', 'DATE', '1969-12-31', '1969-12-31'],
    ['time', 'TIME', '23:59:59.000001', '23:59:59.000001'],
    ['timestamp', 'TIMESTAMP', '2026-11-21 12:00:00.123456', '2026-11-21T12:00:00.123456'],
    ['timestamptz', 'TIMESTAMPTZ', '1969-12-31 23:59:59.999999Z', '1969-12-31T23:59:59.999999Z'],
    ['uuid', 'UUID', 'f79c3e09-677c-4bbd-a479-3f349cb785e7', 'f79c3e09-677c-4bbd-a479-3f349cb785e7'],
    ['binary', 'BLOB', '\\x00\\xff', '00ff'],
  ])('%s from %s %j, and null', async (type, duckType, text, cell) => {
    const table = createTableWriter()
    const file = await writeFile(table, '1', [{ id: 2, name: 'x', type: duckType }], [[text], [null]])
    const { metadata } = await table.commit({ fields: [field(2, 'x', type)], added: [file] })
    expect(await readRows(table.read, metadata)).toEqual({ columns: ['x'], rows: [[cell], [null]] })
  })

  it('after columns were widened, renamed, dropped and added', async () => {
    const table = createTableWriter()
    const columns = [...names, { id: 4, name: 'n', type: 'INTEGER' }]
    const first = await writeFile(table, '1', columns, [['1', 'Praha', '5']])
    await table.commit({ fields: [...fields, field(4, 'n', 'int')], added: [first] })
    const now = [field(4, 'n', 'long'), textField(2, 'key'), textField(5, 'city')]
    const { metadata, location } = await table.commit({ fields: now })
    expect(await readRows(table.read, metadata)).toEqual({
      columns: ['n', 'key', 'city'],
      rows: [[5n, '1', null]],
    })
    expect(await icebirdRows(table.read, location)).toEqual([{ n: 5, key: '1', city: undefined }])
    const [before] = metadata.snapshots
    expect(
      await readRows(table.read, { ...metadata, 'current-snapshot-id': undefined }, before?.['snapshot-id']),
    ).toEqual({
      columns: ['id', 'city', 'n'],
      rows: [['1', 'Praha', 5]],
    })
  })

  it('of files without field ids, by the name mapping', async () => {
    const table = createTableWriter()
    const unnumbered = await writeFile(table, '1', [{ name: 'id' }, { name: 'city' }], [['1', 'Praha']])
    const { metadata } = await table.commit({
      fields: [textField(5, 'city'), textField(2, 'id')],
      added: [unnumbered],
      properties: {
        [NAME_MAPPING_PROPERTY]: JSON.stringify(
          fields.map(({ id, name }) => ({ 'field-id': id, names: [name] })),
        ),
      },
    })
    // The city of the file has the id 3, which the table has dropped since.
    expect((await readRows(table.read, metadata)).rows).toEqual([[null, '1']])
  })

  it('with one file of position deletes for two files of rows', async () => {
    const table = createTableWriter()
    const first = await writeFile(table, '1', names, [
      ['1', 'a'],
      ['2', 'b'],
    ])
    const second = await writeFile(table, '2', names, [
      ['3', 'c'],
      ['4', 'd'],
    ])
    await table.commit({ fields, added: [first, second] })
    const deleted = [
      [first.path, '1'],
      [second.path, '0'],
    ]
    const deletes = await writeFile(table, 'd', positions, deleted, { content: 'positionDeletes' })
    const { metadata, location } = await table.commit({ added: [deletes] })
    expect((await readRows(table.read, metadata)).rows).toEqual([
      ['1', 'a'],
      ['4', 'd'],
    ])
    expect(await icebirdRows(table.read, location)).toEqual([
      { id: '1', city: 'a' },
      { id: '4', city: 'd' },
    ])
  })

  it('with equality deletes, which spare rows that came with them or later', async () => {
    const table = createTableWriter()
    await table.commit({
      fields,
      added: [
        await writeFile(table, '1', names, [
          ['1', 'a'],
          ['2', null],
          ['3', 'c'],
        ]),
      ],
    })
    const byCity: FileColumn[] = [{ id: 3, name: 'city' }]
    const deletes = await writeFile(table, 'd', byCity, [['a'], [null]], {
      content: 'equalityDeletes',
      equalityIds: [3],
    })
    const again = await writeFile(table, '2', names, [['4', 'a']])
    const { metadata } = await table.commit({ added: [deletes, again] })
    expect((await readRows(table.read, metadata)).rows).toEqual([
      ['3', 'c'],
      ['4', 'a'],
    ])
    const dropped = await table.commit({ fields: [textField(2, 'id')] })
    expect((await readRows(table.read, dropped.metadata)).rows).toEqual([['3'], ['4']])
  })

  it('without a snapshot it is empty', async () => {
    const table = createTableWriter()
    const { metadata } = await table.commit({ fields })
    expect(await readRows(table.read, metadata)).toEqual({ columns: ['id', 'city'], rows: [] })
  })
})

describe('a file is refused by a sentence', () => {
  it('when it is not Parquet', async () => {
    const table = createTableWriter()
    const { metadata } = await table.commit({
      fields,
      added: [dataFile('1', Buffer.from('x'), 1, { format: 'orc' })],
    })
    await expect(readRows(table.read, metadata)).rejects.toThrow('is orc, not Parquet')
  })

  it('when a column is nested', async () => {
    const table = createTableWriter()
    const file = await writeFile(table, '1', [{ id: 2, name: 'x' }], [['1']])
    const nested: NestedField = { id: 2, name: 'x', required: false, type: { type: 'struct', fields: [] } }
    const { metadata } = await table.commit({ fields: [nested], added: [file] })
    await expect(readRows(table.read, metadata)).rejects.toThrow('The column "x" is a struct')
  })

  it('when it is shorter than its manifest says', async () => {
    const table = createTableWriter()
    const content = await parquet.write(names, [['1', 'a']])
    const file = table.keep(dataFile('1', content, 1), content.subarray(0, content.length - 9))
    const { metadata } = await table.commit({ fields, added: [file] })
    await expect(readRows(table.read, metadata)).rejects.toThrow(`ends before its ${content.length} bytes`)
  })
})

describe('deletes in a partitioned table', () => {
  const entry = (
    name: string,
    sequenceNumber: number,
    part: string | undefined,
    extra: Partial<DataFile> = {},
  ): ManifestEntry => ({
    status: 'existing',
    snapshotId: 1n,
    sequenceNumber,
    fileSequenceNumber: sequenceNumber,
    file: dataFile(name, Buffer.from(''), 1, {
      specId: part === undefined ? 1 : 0,
      partition: new Map(part === undefined ? [] : [[1000, part]]),
      ...extra,
    }),
  })

  it('apply to their partition only, but for equality deletes without one', () => {
    const live = pairWithDeletes([
      entry('p1', 1, 'a'),
      entry('p2', 1, 'b'),
      entry('positions', 2, 'a', { content: 'positionDeletes' }),
      entry('equal in b', 2, 'b', { content: 'equalityDeletes', equalityIds: [2] }),
      entry('equal anywhere', 2, undefined, { content: 'equalityDeletes', equalityIds: [2] }),
      entry('equal but older', 1, undefined, { content: 'equalityDeletes', equalityIds: [2] }),
    ])
    const named = (files: DataFile[]) => files.map(({ path }) => path.replace(/.*\/(.*)\.parquet/, '$1'))
    expect(live.map(one => [named(one.positionDeletes), named(one.equalityDeletes)])).toEqual([
      [['positions'], ['equal anywhere']],
      [[], ['equal in b', 'equal anywhere']],
    ])
  })
})
