import type { ItemStore } from '#lib/items/item-table.ts'

interface Disturbances {
  /** From 0 to 1, a new one each time. */
  random: () => number
  /** How many of the calls meet another one at an item. */
  conflicts?: number
  /** How many of the writes are done, and nobody hears of it. */
  lostAnswers?: number
}

/** What DynamoDB does in an account and no emulator of it: requests meet at an item, and answers get lost. */
export const disturbedItems = (
  store: ItemStore,
  { random, conflicts = 0, lostAnswers = 0 }: Disturbances,
): ItemStore => {
  const write = async <Result>(call: () => Promise<Result>): Promise<Result> => {
    if (random() < conflicts)
      throw Object.assign(new Error('Another request holds an item'), {
        name: 'TransactionConflictException',
      })
    const result = await call()
    if (random() < lostAnswers) throw Object.assign(new Error('No answer'), { name: 'TimeoutError' })
    return result
  }
  const done = new Set<string>()
  return {
    ...store,
    swap: (...given) => write(() => store.swap(...given)),
    update: (...given) => write(() => store.update(...given)),
    transact: (writes, token) =>
      write(async () => {
        if (done.has(token)) return []
        const refused = await store.transact(writes, token)
        if (refused.length === 0) done.add(token)
        return refused
      }),
  }
}
