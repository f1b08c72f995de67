import { expect, it } from 'vitest'
import { storeMetadata } from '#functions/storage-api/metadata/store-metadata.ts'
import type { ItemTable } from '#lib/items/item-table.ts'
import { createMetadataStore } from '#lib/storage/metadata/metadata-store.ts'
import { startItemTable } from '#support/start-item-table.ts'
import { untilEnd } from '#support/until-end.ts'

const { items } = await untilEnd(startItemTable())

/** Answers `count` reads only when all have come: the last one first, and each answer is worked on before the next. */
const answeringBackwards = (items: ItemTable, count: number): ItemTable => {
  const replies: (() => void)[] = []
  const answerAll = async (): Promise<void> => {
    for (const reply of replies.toReversed()) {
      reply()
      await new Promise(setImmediate)
    }
  }
  return {
    ...items,
    get: async key => {
      const item = await items.get(key)
      await new Promise<void>(resolve => {
        replies.push(resolve)
        if (replies.length === count) void answerAll()
      })
      return item
    },
  }
}

it('gives ids in the order of the request, whatever order a slow store answers in', async () => {
  const keys = ['a', 'b', 'c', 'd', 'e', 'f']
  let last = 0
  const nextId = () => ++last
  const metadata = createMetadataStore(answeringBackwards(items, keys.length), () => new Date())
  const given = keys.map(key => ({ key, value: `value of ${key}`, provider: 'user', column: '' }))

  await storeMetadata({ metadata, nextId }, 'table/1', given)

  expect((await metadata.list('table/1')).map(({ key }) => key)).toEqual(keys)
})
