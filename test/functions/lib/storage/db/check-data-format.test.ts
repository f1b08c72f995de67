import { expect, it } from 'vitest'
import type { ItemTable } from '#lib/items/item-table.ts'
import { checkDataFormat } from '#lib/storage/db/check-data-format.ts'
import { DATA_FORMAT } from '#lib/storage/db/data-format.ts'
import { createMemoryItemTable } from '#support/memory-item-table.ts'

const KEY = { pk: 'FORMAT', sk: 'all' }
const refusal = { code: 'storage.dataFormat' }

it('a stack without data gets the mark, and is read from then on', async () => {
  const items = createMemoryItemTable()
  await Promise.all([checkDataFormat(items), checkDataFormat(items)])
  expect(await items.get(KEY)).toMatchObject({ format: DATA_FORMAT })
  await items.put({ pk: 'BUCKETS', sk: 'in.c-main' }, {})
  await checkDataFormat(items)
})

it.each([1, 2, 9])('a stack of the format %i is refused, and the message says what to do', async format => {
  const items = createMemoryItemTable()
  await items.put(KEY, { format })
  await expect(checkDataFormat(items)).rejects.toMatchObject(refusal)
  await expect(checkDataFormat(items)).rejects.toThrow(
    `its format is ${format}; this version reads ${DATA_FORMAT}). Deploy that version again`,
  )
})

it.each(['BUCKETS', 'FILES#MONTHS', 'EVENTS#MONTHS'])(
  'a stack without the mark that holds %s is refused',
  async pk => {
    const items = createMemoryItemTable()
    await items.put({ pk, sk: '2026-01' }, {})
    await expect(checkDataFormat(items)).rejects.toMatchObject(refusal)
    expect(await items.get(KEY)).toBeUndefined()
  },
)

it('is not refused where another process marks and uses the stack meanwhile', async () => {
  const items = createMemoryItemTable()
  const late: ItemTable = {
    ...items,
    query: (pk, range) =>
      (async function* () {
        await checkDataFormat(items)
        await items.put({ pk: 'BUCKETS', sk: 'in.c-main' }, {})
        yield* items.query(pk, range)
      })(),
  }
  await checkDataFormat(late)
})
