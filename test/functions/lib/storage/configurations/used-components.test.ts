import { afterAll, beforeAll, expect, it } from 'vitest'
import { createUsedComponents } from '#lib/storage/configurations/used-components.ts'
import type { ItemTable } from '#lib/storage/db/item-table.ts'
import { startItemTable } from '#support/start-item-table.ts'

let database: Awaited<ReturnType<typeof startItemTable>>
let items: ItemTable
beforeAll(async () => {
  database = await startItemTable()
  items = database.items
})
afterAll(() => database.close())

const catalogue = (...ids: string[]) => ids.map(id => ({ id }))

it('finds what is noted, in the order of the catalogue, also what was out of it for a time', async () => {
  const used = createUsedComponents(items)
  expect(await used.of(catalogue('one', 'none', 'other'))).toEqual([])
  for (const id of ['other', 'one', 'one']) await used.note(id)
  expect(await createUsedComponents(items).of(catalogue('none'))).toEqual([])
  expect(await createUsedComponents(items).of(catalogue('one', 'none', 'other'))).toEqual(
    catalogue('one', 'other'),
  )
})
