import { describe, expect, it } from 'vitest'
import { startTypedTables } from './typed-table-steps.ts'

const world = await startTypedTables()
const define = (tableId: string, body: object) =>
  world.target.job('PUT', `tables/${tableId}/definition`, body)
const refused = async (tableId: string, body: object) => {
  const reply = await world.target.call('PUT', `tables/${tableId}/definition`, body)
  return [reply.status, reply.body.code]
}
/** By column, the empty name for the table. */
const descriptions = async (tableId: string) => {
  const { metadata, columnMetadata } = await world.detail(tableId)
  const all = Object.entries({ '': metadata, ...columnMetadata }) as [string, Record<string, string>[]][]
  return all.flatMap(([column, items]) =>
    items
      .filter(({ key }) => key === 'KBC.description')
      .map(item => [column, item['value'], item['provider']]),
  )
}

describe('the definition of a table', () => {
  it('takes names, descriptions and what columns allow at once', async () => {
    const tableId = await world.table([
      { name: 'id', basetype: 'INTEGER' },
      { name: 'code', definition: { type: 'VARCHAR', length: '5' } },
    ])
    const displayName = `Orders-${tableId.length}`
    const columns = [{ name: 'code', length: '9', default: 'x', description: 'Code of the shop' }]
    const job = await define(tableId, { displayName, description: 'Orders', columns })
    expect(job).toMatchObject({
      status: 'success',
      operationName: 'tableDefinitionUpdate',
      results: { id: tableId, displayName },
    })
    const { definition } = await world.detail(tableId)
    expect(definition.columns[0].definition).toMatchObject({ length: '9', default: 'x' })
    expect(await descriptions(tableId)).toEqual([
      ['', 'Orders', 'user'],
      ['code', 'Code of the shop', 'user'],
    ])
    await define(tableId, { description: null, columns: [{ name: 'code', default: null, description: '' }] })
    expect(await descriptions(tableId)).toEqual([])
    expect((await world.detail(tableId)).definition.columns[0].definition).not.toHaveProperty('default')
  })

  it('of a table without types takes descriptions only', async () => {
    const tableId = await world.table([{ name: 'id' }])
    const columns = [{ name: 'id', description: 'Number' }]
    await define(tableId, { columns, isDescriptionSystemManaged: false })
    expect(await descriptions(tableId)).toEqual([['id', 'Number', 'user']])
    expect(await refused(tableId, { columns: [{ name: 'id', length: '9' }] })).toEqual([
      400,
      'storage.tables.validation',
    ])
  })

  it('changes nothing when a part of it is refused', async () => {
    const tableId = await world.table([{ name: 'id', basetype: 'INTEGER' }])
    const wrong = [{ name: 'id', length: '2' }]
    expect(await refused(tableId, { description: 'x', columns: wrong })).toEqual([
      400,
      'storage.tables.validation.cannotUpdateColumn',
    ])
    const unknown = [{ name: 'none', description: 'x' }]
    expect(await refused(tableId, { columns: unknown })).toEqual([404, 'storage.tables.columns.notFound'])
    expect(await descriptions(tableId)).toEqual([])
  })
})
