import { beforeAll, describe, expect, it } from 'vitest'
import { startTableRoutes } from '#support/table-routes.ts'

const { service, bucketId, newName } = await startTableRoutes()

describe('GET data-preview', () => {
  let tableId: string
  const preview = (query: string) =>
    service.call('GET', `/v2/storage/tables/${tableId}/data-preview?${query}`)
  beforeAll(async () => {
    tableId = await service.createTable(
      bucketId,
      newName(),
      'id,city,size\n1,Prague,10\n2,"Brno\nSouth",9\n3,,100\n',
    )
  })

  it('is CSV with a header, every value quoted, every line ended', async () => {
    const { status, text, headers } = await preview('')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toMatch(/^text\/csv/)
    expect(text).toBe('"id","city","size"\n"1","Prague","10"\n"2","Brno\nSouth","9"\n"3","","100"\n')
  })

  it.each(['INTEGER', 'BIGINT'])('compares and orders whole numbers exactly as %s', async dataType => {
    const numbers = ['9007199254740992', '9007199254740993', '12345678901234567890123', '-3000000000', '7']
    const id = await service.createTable(bucketId, newName(), `n\n${numbers.join('\n')}\n`)
    const found = async (query: string) => {
      const { text } = await service.call('GET', `/v2/storage/tables/${id}/data-preview?${query}`)
      return [...text.matchAll(/"(-?\d+)"/g)].map(([, number]) => number)
    }
    const where = (operator: string, value: string) =>
      `whereFilters[0][column]=n&whereFilters[0][operator]=${operator}&whereFilters[0][values][]=${value}&whereFilters[0][dataType]=${dataType}`
    expect(await found(where('gt', '9007199254740992'))).toEqual([numbers[1], numbers[2]])
    expect(await found(where('eq', '9007199254740993'))).toEqual([numbers[1]])
    expect(await found(where('ne', '7'))).toEqual(numbers.slice(0, 4))
    expect(await found(where('lt', '3000000000'))).toEqual(['-3000000000', '7'])
    const order = `orderBy[0][column]=n&orderBy[0][order]=desc&orderBy[0][dataType]=${dataType}`
    expect(await found(order)).toEqual([numbers[2], numbers[1], numbers[0], '7', '-3000000000'])
  })

  it.each([
    ['limit=1', ['1']],
    ['limit=0', ['1', '2', '3']],
    ['whereColumn=id&whereValues[]=2&whereValues[]=3', ['2', '3']],
    ['whereColumn=id&whereOperator=neq&whereValues[]=2', ['1', '3']],
    [
      'whereFilters[0][column]=size&whereFilters[0][operator]=gt&whereFilters[0][values][0]=9&whereFilters[0][dataType]=INTEGER',
      ['1', '3'],
    ],
    [
      'whereFilters[0][column]=id&whereFilters[0][values][]=1&whereFilters[1][column]=city&whereFilters[1][values][]=Prague',
      ['1'],
    ],
    ['orderBy[0][column]=size&orderBy[0][order]=desc&orderBy[0][dataType]=INTEGER', ['3', '1', '2']],
    ['changedSince=-1%20hour', ['1', '2', '3']],
    ['changedUntil=yesterday', []],
  ])('%s gives the rows %j', async (query, ids) => {
    const { body } = await preview(`${query}&format=json&columns=id`)
    expect(body.rows.map(([cell]: { value: string }[]) => cell?.value)).toEqual(ids)
  })

  it('goes on after the rows that are left out, in any order, past files and deleted rows', async () => {
    const csv = (from: number) => `id,n\n${Array.from({ length: 4 }, (_, i) => `${from + i},x`).join('\n')}\n`
    const id = await service.createTable(bucketId, newName(), csv(0), { primaryKey: 'id' })
    for (const from of [4, 8])
      await service.call('POST', `/v2/storage/tables/${id}/import-async`, {
        dataFileId: await service.upload(csv(from)),
        incremental: 1,
      })
    await service.call(
      'DELETE',
      `/v2/storage/tables/${id}/rows?whereColumn=id&whereValues[]=1&whereValues[]=5`,
    )
    const at = async (query: string, limit = 3) =>
      (
        await service.call('GET', `/v2/storage/tables/${id}/data-preview?columns=id&limit=${limit}&${query}`)
      ).text
        .match(/\d+/g)
        ?.join()
    const all = (await at('', 100))?.split(',') ?? []
    const numbers = all.toSorted((a, b) => Number(b) - Number(a))
    expect(numbers.join()).toBe('11,10,9,8,7,6,4,3,2,0')
    for (let offset = 0; offset < 11; offset++) {
      const expected = all.slice(offset, offset + 3).join() || undefined
      expect([offset, await at(`offset=${offset}`)]).toEqual([offset, expected])
      expect([offset, await at(`offset=${offset}&whereColumn=n&whereValues[]=x`)]).toEqual([offset, expected])
      const ordered = await at(
        `offset=${offset}&orderBy[0][column]=id&orderBy[0][dataType]=INTEGER&orderBy[0][order]=DESC`,
      )
      expect([offset, ordered]).toEqual([offset, numbers.slice(offset, offset + 3).join() || undefined])
    }
  })

  it('counts what matches, as JSON only', async () => {
    const id = await service.createTable(bucketId, newName(), 'n,price\n1,99.70\n-2,496.27\n')
    const asked = (query: string) => service.call('GET', `/v2/storage/tables/${id}/data-preview?${query}`)
    const { body } = await asked(
      'format=json&countRows=1&limit=1&whereFilters[0][column]=price&whereFilters[0][operator]=gt&whereFilters[0][values][]=100&whereFilters[0][dataType]=DOUBLE',
    )
    expect(body).toMatchObject({ rowsCount: 1 })
    expect((await asked('format=json&countRows=1')).body).toMatchObject({ rowsCount: 2 })
    expect((await asked('countRows=1')).body.code).toBe('storage.tables.validation.invalidFormat')
  })

  it('takes columns in the order that is asked for', async () => {
    expect((await preview('columns=size,id&limit=1')).text).toBe('"size","id"\n"10","1"\n')
    expect((await preview('columns[]=size&columns[]=id&limit=1')).text).toBe('"size","id"\n"10","1"\n')
  })

  it('as JSON cuts no character in two: half of one is no JSON to other languages', async () => {
    const wide = await service.createTable(bucketId, newName(), `a\n${'x'.repeat(16_383)}😀y\n`)
    const { body } = await service.call('GET', `/v2/storage/tables/${wide}/data-preview?format=json`)
    expect(body.rows[0]).toEqual([{ columnName: 'a', value: 'x'.repeat(16_383), isTruncated: true }])
  })

  it('as JSON cuts long values and says so', async () => {
    const wide = await service.createTable(bucketId, newName(), `a,b\n${'x'.repeat(20_000)},y\n`)
    const { body } = await service.call('GET', `/v2/storage/tables/${wide}/data-preview?format=json`)
    expect(body).toEqual({
      columns: ['a', 'b'],
      rows: [
        [
          { columnName: 'a', value: 'x'.repeat(16_384), isTruncated: true },
          { columnName: 'b', value: 'y', isTruncated: false },
        ],
      ],
    })
  })

  it.each([
    ['limit=1001', 'storage.tables.validation'],
    ['limit=x', 'storage.tables.validation'],
    ['format=xml', 'storage.tables.validation.invalidFormat'],
    ['columns=nothing', 'storage.tables.validation.columnNotExists'],
    ['whereColumn=nothing&whereValues[]=1', 'storage.tables.validation.columnNotExists'],
    ['whereColumn=id', 'validation.failed'],
    [
      'whereFilters[0][column]=id&whereFilters[0][operator]=like&whereFilters[0][values][]=1',
      'storage.tables.validation',
    ],
    ['changedSince=soon', 'storage.tables.validation'],
    ['whereColumn=id&whereValues[]=%00', 'storage.tables.validation'],
  ])('refuses %s as %s', async (query, code) => {
    const { status, body } = await preview(query)
    expect([status, body.code]).toEqual([400, code])
  })

  it('names the operators where another one is asked for', async () => {
    const { body } = await preview(
      'whereFilters[0][column]=id&whereFilters[0][operator]=is&whereFilters[0][values][]=1',
    )
    expect(body.error).toBe('Invalid where operator is. It is one of eq, ne, gt, ge, lt, le.')
  })

  it('names the part of a filter that is missing', async () => {
    const { body } = await preview('whereFilters[0][column]=id')
    expect(body.error).toBe('Invalid request:\n - whereFilters[0][values]: "This field is missing."')
  })
})
