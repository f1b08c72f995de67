import type { ItemKey, ItemStore } from '#lib/items/item-table.ts'

interface Cloud {
  sleep: (milliseconds: number) => Promise<void>
  now: () => Date
  /** From 0 to 1, a new one each time. */
  random: () => number
}

/*
 * Of one region, generously: AWS says "single-digit milliseconds" for one item (Developer Guide, "What is Amazon DynamoDB?") and nothing for
 * transactions, which go through two phases. Items stay held for a moment after the answer (aws-sdk-js-v3, pull request 7093).
 */
const READ_MS = 5
const WRITE_MS = 7
const TRANSACTION_MS = 20
const HELD_AFTER_MS = 5
/** Until a request is told that it met another one. */
const REFUSED_MS = 8

/**
 * What DynamoDB does in an account and no emulator of it (Developer Guide, "Amazon DynamoDB Transactions: How it works", on conflicts): a
 * transaction holds each of its items, also those that it only checks, until it has ended. Whoever writes one of them meanwhile is refused,
 * alone or in a transaction, and so is a transaction that meets a single write. Reads pass. It takes simulated time once it `isOn`.
 */
export const conflictingItems = (store: ItemStore, { sleep, now, random }: Cloud) => {
  const held = new Map<string, { kind: 'transaction' | 'write'; untilMs: number }>()
  const model = { isOn: false, calls: 0, conflicts: 0 }
  const nameOf = ({ pk, sk }: ItemKey) => `${pk} ${sk}`
  const about = (milliseconds: number) => sleep(milliseconds * (0.5 + random()))

  const holding = async <Result>(
    keys: readonly ItemKey[],
    kind: 'transaction' | 'write',
    act: () => Promise<Result>,
  ): Promise<Result> => {
    if (!model.isOn) return act()
    model.calls++
    const names = keys.map(nameOf)
    // Two single writes of one item come one after the other.
    const meets = (name: string): boolean => {
      const other = held.get(name)
      const isHeld = other !== undefined && other.untilMs > now().getTime()
      return isHeld && (kind === 'transaction' || other.kind === 'transaction')
    }
    if (names.some(meets)) {
      model.conflicts++
      await about(REFUSED_MS)
      throw Object.assign(new Error('Another request holds an item'), {
        name: 'TransactionConflictException',
      })
    }
    for (const name of names) held.set(name, { kind, untilMs: Number.POSITIVE_INFINITY })
    try {
      await about(kind === 'transaction' ? TRANSACTION_MS : WRITE_MS)
      return await act()
    } finally {
      const untilMs = now().getTime() + (kind === 'transaction' ? HELD_AFTER_MS : 0)
      for (const name of names) held.set(name, { kind, untilMs })
    }
  }

  const read = async <Result>(act: () => Promise<Result>): Promise<Result> => {
    if (!model.isOn) return act()
    model.calls++
    await about(READ_MS)
    return act()
  }

  const items: ItemStore = {
    get: key => read(() => store.get(key)),
    getMany: keys => read(() => store.getMany(keys)),
    page: (...given) => read(() => store.page(...given)),
    swap: (key, ...given) => holding([key], 'write', () => store.swap(key, ...given)),
    update: (key, ...given) => holding([key], 'write', () => store.update(key, ...given)),
    putAll: all => holding(all, 'write', () => store.putAll(all)),
    transact: (writes, token) =>
      holding(
        writes.map(({ key }) => key),
        'transaction',
        () => store.transact(writes, token),
      ),
  }
  return { items, model }
}
