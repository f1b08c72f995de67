import { afterAll, beforeAll, expect, it } from 'vitest'
import { createBranchStore } from '#lib/storage/branches/branch-store.ts'
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
const open = () => createUsedComponents(items, createBranchStore(items))

it('finds what version 0.2 stored without a note, in any branch, and what is noted from then on', async () => {
  await createBranchStore(items).insert({
    id: 77,
    name: 'b',
    description: '',
    created: '',
    creatorToken: { id: '1', description: '' },
    revision: 1,
  })
  await items.put({ pk: 'CONFIGS#1#old', sk: 'c' }, {})
  await items.put({ pk: 'CONFIGS#77#old-in-branch', sk: 'c' }, {})
  const used = open()
  const all = catalogue('new', 'none', 'old', 'old-in-branch')
  expect(await used.of(all)).toEqual(catalogue('old', 'old-in-branch'))
  await used.note('new')
  expect(await open().of(all)).toEqual(catalogue('new', 'old', 'old-in-branch'))
})

it('looks for a component that comes back into the catalogue, once', async () => {
  await items.put({ pk: 'CONFIGS#1#back', sk: 'c' }, {})
  const asked: string[] = []
  const watched: ItemTable = {
    ...items,
    query: (pk, range) => {
      asked.push(pk)
      return items.query(pk, range)
    },
  }
  const read = () => createUsedComponents(watched, createBranchStore(items)).of(catalogue('back', 'none'))
  for (let times = 0; times < 2; times++) expect(await read()).toEqual(catalogue('back'))
  expect(asked.filter(pk => pk.startsWith('CONFIGS'))).toEqual(['CONFIGS#1#back'])
})
