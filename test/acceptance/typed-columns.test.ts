import { describe, expect, it } from 'vitest'
import { column, startTypedTables } from './typed-table-steps.ts'

const world = await startTypedTables()

describe('the columns of a typed table', () => {
  const add = (tableId: string, body: Record<string, unknown>) =>
    world.target.call('POST', `tables/${tableId}/columns`, body)

  it('are added with a type, and with their default in every row', async () => {
    const tableId = await world.table([{ name: 'id', basetype: 'INTEGER' }], ['id'])
    await world.loaded(tableId, 'id\n1\n2\n')
    await world.target.job('POST', `tables/${tableId}/columns`, { name: 'n', basetype: 'NUMERIC' })
    const state = {
      name: 'state',
      definition: { type: 'VARCHAR', length: '10', nullable: false, default: 'new' },
    }
    expect(await world.target.job('POST', `tables/${tableId}/columns`, state)).toMatchObject({
      status: 'success',
    })
    expect((await world.preview(tableId)).toSorted()).toEqual(['"1",,"new"', '"2",,"new"'])
    await world.loaded(tableId, 'id,n,state\n01,5,\n', { incremental: 1 })
    expect((await world.preview(tableId)).toSorted()).toEqual(['"1","5.000000000","new"', '"2",,"new"'])
    const { definition } = await world.detail(tableId)
    expect(definition.columns[2].definition).toEqual({
      type: 'VARCHAR',
      nullable: false,
      length: '10',
      default: 'new',
    })
  })

  it('are refused when their type does not fit the table', async () => {
    const typed = await world.table([{ name: 'id', basetype: 'INTEGER' }])
    await world.loaded(typed, 'id\n1\n')
    const untyped = await world.table([{ name: 'id' }])
    const refusal = async (tableId: string, body: Record<string, unknown>) => {
      const reply = await add(tableId, { name: 'c', ...body })
      return [reply.status, reply.body.code, reply.body.error]
    }
    expect(await refusal(typed, {})).toEqual([
      400,
      'storage.tables.validation',
      'Column "definition" or "basetype" must be set.',
    ])
    expect(await refusal(untyped, { definition: { type: 'INT' } })).toEqual([
      400,
      'storage.tables.validation',
      'Invalid parameters - definition: This field was not expected.',
    ])
    const name = typed.slice(typed.lastIndexOf('.') + 1)
    expect(await refusal(typed, { definition: { type: 'INT', nullable: false } })).toEqual([
      400,
      'storage.tables.validation.cannotAddColumn',
      `Non-nullable column "c" cannot be added to non-empty table "${name}" unless it has a non-null default value.`,
    ])
    const [, code, text] = await refusal(typed, { definition: { type: 'DATE', default: '2022-02-22' } })
    expect([code, text]).toEqual([
      'storage.tables.invalidDefaultValueForType',
      expect.stringContaining('Validation:'),
    ])
  })

  const update = (tableId: string, name: string, body: Record<string, unknown>) =>
    world.target.call('PUT', `tables/${tableId}/columns/${name}/definition`, body)

  it('get longer, and may be NULL or not, and lose their default', async () => {
    const tableId = await world.table(
      [
        column('id', 'NUMBER', { length: '4,2', nullable: false }),
        column('code', 'VARCHAR', { length: 2, default: 'x' }),
      ],
      ['id'],
    )
    await world.loaded(tableId, 'id,code\n1,ab\n2,\n')
    const job = await world.target.job('PUT', `tables/${tableId}/columns/code/definition`, {
      length: '5',
      default: null,
    })
    expect(job).toMatchObject({
      status: 'success',
      operationName: 'tableColumnDefinitionUpdate',
      tableId,
      operationParams: { columnName: 'code', columnDefinition: { length: '5', removeDefault: true } },
    })
    await world.target.job('PUT', `tables/${tableId}/columns/id/definition`, { length: '38,2' })
    expect(
      (await world.detail(tableId)).definition.columns.map(
        (each: Record<string, unknown>) => each['definition'],
      ),
    ).toEqual([
      { type: 'VARCHAR', nullable: true, length: '5' },
      { type: 'NUMBER', nullable: false, length: '38,2' },
    ])
    await world.loaded(tableId, 'id,code\n1,abcde\n2.00,\n123456789012345678901234567890,y\n', {
      incremental: 1,
    })
    expect((await world.preview(tableId)).toSorted()).toEqual([
      '"1.00","abcde"',
      '"123456789012345678901234567890.00","y"',
      '"2.00",',
    ])
    const filled = await world.target.job('PUT', `tables/${tableId}/columns/code/definition`, {
      nullable: false,
    })
    expect(filled.error.code).toBe('storage.tables.validation.cannotUpdateColumn')
    await world.target.job('DELETE', `tables/${tableId}/rows?whereColumn=code&whereValues[]=`)
    expect(
      await world.target.job('PUT', `tables/${tableId}/columns/code/definition`, { nullable: 0 }),
    ).toMatchObject({
      status: 'success',
    })
    expect((await world.load(tableId, 'id,code\n4,\n', { incremental: 1 })).error.code).toBe(
      'csvImport.requiredValue',
    )
  })

  it.each([
    ['a shorter text', 'code', { length: '1' }],
    ['fewer digits', 'price', { length: '11,2' }],
    ['other digits after the point', 'price', { length: '14,3' }],
    ['a length that is none', 'price', { length: 'long' }],
    ['a length of a day', 'day', { length: '3' }],
  ])('do not get %s', async (_what, name, change) => {
    const tableId = await world.table([
      column('code', 'VARCHAR', { length: 2 }),
      column('price', 'NUMBER', { length: '12,2' }),
      column('day', 'DATE'),
    ])
    const { status, body } = await update(tableId, name, change)
    expect([status, body.code]).toEqual([400, 'storage.tables.validation.cannotUpdateColumn'])
  })

  it('do not get a default that is no value, and untyped ones have no definition', async () => {
    const tableId = await world.table([column('n', 'NUMBER', { length: '12,2' }), column('ok', 'BOOLEAN')])
    const number = await update(tableId, 'n', { default: 'test' })
    expect(number.body.error).toBe(
      'Invalid default value for column "n". Expected numeric value, got "test".',
    )
    const boolean = await update(tableId, 'ok', { default: 'test' })
    expect(boolean.body.error).toBe(
      'Invalid default value for column "ok". Allowed values are true, false, 0, 1, got "test".',
    )
    expect((await update(tableId, 'none', {})).status).toBe(404)
    expect((await update(await world.table([{ name: 'a' }]), 'a', { nullable: 1 })).status).toBe(400)
  })

  it('keep their types in snapshots, copies and when a load brings more', async () => {
    const tableId = await world.table(
      [{ name: 'id', basetype: 'INTEGER' }, column('price', 'NUMBER', { length: '12,2' })],
      ['id'],
    )
    await world.loaded(tableId, 'id,price,more\n1,1.5,\n')
    const { definition, columns } = await world.detail(tableId)
    expect(columns).toEqual(['id', 'price', 'more'])
    const kept = await world.target.job('POST', `tables/${tableId}/snapshots`, {})
    const restored = await world.target.job('POST', `buckets/${world.bucketId}/tables-async`, {
      name: 'restored',
      snapshotId: kept.results.id,
    })
    const copied = await world.target.job('POST', `buckets/${world.bucketId}/tables-async`, {
      name: 'copied',
      sourceTableId: tableId,
    })
    for (const { results } of [restored, copied]) {
      const shown = await world.detail(results.id)
      expect([shown.isTyped, shown.definition]).toEqual([true, definition])
      expect(shown.metadata).toMatchObject([{ key: 'KBC.dataTypesEnabled', provider: 'storage' }])
      await world.loaded(results.id, 'id,price,more\n01,2,x\n', { incremental: 1 })
      expect(await world.preview(results.id)).toEqual(['"1","2.00","x"'])
    }
  })
})
