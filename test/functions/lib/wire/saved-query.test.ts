import { describe, expect, it } from 'vitest'
import { savesAsAlias, savesAsTable } from '#lib/wire/saved-query.ts'

describe('a query as a table', () => {
  it('is a new table, or takes the place of the rows of one', () => {
    expect(savesAsTable(' out.c-main.a ', 7, [])).toEqual({
      path: 'buckets/out.c-main/tables-async',
      body: { dataFileId: 7, name: 'a' },
    })
    expect(savesAsTable('out.c-main.a', 7, ['out.c-main.a']).path).toBe('tables/out.c-main.a/import-async')
    expect(() => savesAsTable('a', 7, [])).toThrow('Name the table like out.c-main.by-city')
  })
})

describe('a query as an alias', () => {
  it.each([
    ['SELECT * FROM in.c-main.orders', { sourceTable: 'in.c-main.orders' }],
    [
      'select id, "the city" from "in.c-main"."orders";',
      { sourceTable: 'in.c-main.orders', aliasColumns: ['id', 'the city'] },
    ],
    [
      "SELECT * FROM in.c-main.orders WHERE city <> 'O''Brien'",
      {
        sourceTable: 'in.c-main.orders',
        aliasFilter: { column: 'city', operator: 'ne', values: ["O'Brien"] },
      },
    ],
  ])('%s', (sql, body) => {
    expect(savesAsAlias('out.c-main.a', sql)).toEqual({
      path: 'buckets/out.c-main/table-aliases',
      body: { name: 'a', ...body },
    })
  })

  it.each([
    'SELECT count(*) FROM in.c-main.orders',
    "SELECT * FROM in.c-main.orders WHERE city = 'a' AND id = '1'",
    'SELECT * FROM in.c-main.orders LIMIT 5',
    'SELECT a AS b FROM in.c-main.orders',
    'SELECT * FROM a, b',
  ])('is not %s', sql => {
    expect(() => savesAsAlias('out.c-main.a', sql)).toThrow('Save this query as a table')
  })
})
