import { expect, it } from 'vitest'
import { startTableRoutes } from '#support/table-routes.ts'

const { service, bucketId, newName, load } = await startTableRoutes()

const descriptionsOf = async (tableId: string): Promise<Record<string, string>> => {
  const { body } = await service.call(
    'GET',
    `/v2/storage/tables/${tableId}?include=columns,metadata,columnMetadata`,
  )
  const columns: [string, { key: string; value: string }[]][] = Object.entries(body.columnMetadata)
  return Object.fromEntries(
    columns.flatMap(([column, all]) =>
      all.filter(({ key }) => key === 'KBC.description').map(({ value }) => [column, value]),
    ),
  )
}

it('headings that cannot be names of columns are said once, and kept as descriptions', async () => {
  const tableId = await service.createTable(bucketId, newName(), 'id,"Cost Total $",имя\n1,2,x\n')
  const marked = 'column_f08ca02a'
  expect(await descriptionsOf(tableId)).toEqual({ Cost_Total: 'Cost Total $', [marked]: 'имя' })
  const content = `"Cost Total $",id,имя,Größe\n3,4,y,5\n`
  const first = await load(tableId, { dataFileId: await service.upload(content) })
  expect(first.body.results.warnings).toEqual([expect.stringContaining('"Größe" is Grosse')])
  const again = await load(tableId, { dataFileId: await service.upload(content) })
  expect(again.body.results.warnings).toEqual([])
  expect(await descriptionsOf(tableId)).toEqual({
    Cost_Total: 'Cost Total $',
    [marked]: 'имя',
    Grosse: 'Größe',
  })
})
