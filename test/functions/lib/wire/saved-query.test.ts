import { expect, it } from 'vitest'
import { savesAsTable } from '#lib/wire/saved-query.ts'

it('a query is saved as a new table, or in place of the rows of one', () => {
  expect(savesAsTable(' out.c-main.a ', 7, [])).toEqual({
    path: 'buckets/out.c-main/tables-async',
    body: { dataFileId: 7, name: 'a' },
  })
  expect(savesAsTable('out.c-main.a', 7, ['out.c-main.a']).path).toBe('tables/out.c-main.a/import-async')
  expect(() => savesAsTable('a', 7, [])).toThrow('Name the table like out.c-main.by-city')
})
