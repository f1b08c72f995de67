import { expect, it } from 'vitest'
import type { ItemTable } from '#lib/items/item-table.ts'
import { createUsedComponents } from '#lib/storage/configurations/used-components.ts'
import { startItemTable } from '#support/start-item-table.ts'
import { untilEnd } from '#support/until-end.ts'

const database = await untilEnd(startItemTable())
const items: ItemTable = database.items

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
