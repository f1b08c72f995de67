import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTableFixture, type TableFixture } from './support/table-fixture.ts'

let tables: TableFixture
beforeAll(async () => {
  tables = await createTableFixture()
})
afterAll(() => tables.close())

describe('a full load', () => {
  it('creates a table with every record, in the order of the file', async () => {
    const { snapshot, ...result } = await tables.load('id,name\n1,"x ""y""\nz"\n2,\n1,last\n')
    expect(snapshot).toMatchObject({ columns: ['id', 'name'], primaryKey: [], rowsCount: 3 })
    expect(snapshot.dataSizeBytes).toBeGreaterThan(0)
    expect(result).toEqual({
      importedColumns: ['id', 'name'],
      importedRowsCount: 3,
      warnings: [],
      inBytes: 32,
      isCompressed: false,
    })
    expect(await tables.rows(snapshot)).toEqual([
      ['1', 'x "y"\nz'],
      ['2', ''],
      ['1', 'last'],
    ])
  })
})
