import { TransientError } from '../errors/errors.ts'
import type { pauseRandomly } from '../pause-randomly.ts'

/** Where an item lies. */
export interface ItemKey {
  pk: string
  sk: string
}

export const nameOf = ({ pk, sk }: ItemKey): string => JSON.stringify([pk, sk])

/** DynamoDB API Reference, "TransactWriteItems"; Developer Guide, "Transaction conflict handling": the SDK does not try these again. */
const CONFLICTS: ReadonlySet<string> = new Set([
  'TransactionConflictException',
  'TransactionInProgressException',
])
/** Together some six seconds, on average. */
const CONFLICT_ATTEMPTS = 16
const CONFLICT_PAUSES_MS = { first: 25, longest: 1000 }
export type Pause = typeof pauseRandomly

/** Calls again while another call holds an item. Error: `storage.busy`. */
export const untilFree = async <Result>(call: () => Promise<Result>, pause: Pause): Promise<Result> => {
  for (let conflicts = 0; ; conflicts++) {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof Error && CONFLICTS.has(error.name))) throw error
      if (conflicts === CONFLICT_ATTEMPTS)
        throw new TransientError('storage.busy', 'Many requests change the same items.', { cause: error })
      await pause(conflicts, CONFLICT_PAUSES_MS)
    }
  }
}

/** After each of which nobody knows whether it was done. */
const UNKNOWN_ATTEMPTS = 3
const KNOWN: ReadonlySet<string> = new Set([
  'UserError',
  'TransientError',
  'ValidationException',
  'AccessDeniedException',
])

/** Asks again where an answer got lost: unknown is not no. */
export const untilKnown = async <Result>(call: () => Promise<Result>, pause: Pause): Promise<Result> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call()
    } catch (error) {
      if (attempt === UNKNOWN_ATTEMPTS || (error instanceof Error && KNOWN.has(error.name))) throw error
      await pause(attempt, CONFLICT_PAUSES_MS)
    }
  }
}

type Item = Record<string, unknown>
interface Reads {
  get(key: ItemKey): Promise<Item | undefined>
  getMany(keys: readonly ItemKey[]): Promise<Item[]>
}

/** Items that are asked for at once, before any is awaited, are read in one call. */
export const readingTogether = (store: Reads): Reads['get'] => {
  let asked = new Map<string, ItemKey>()
  let found: Promise<Map<string, Item>> | undefined
  const read = async (): Promise<Map<string, Item>> => {
    // Until whoever asks has asked for all.
    await Promise.resolve()
    const keys = [...asked.values()]
    asked = new Map()
    found = undefined
    const [only] = keys
    const items =
      only && keys.length === 1
        ? [await store.get(only)].filter(item => item !== undefined)
        : await store.getMany(keys)
    return new Map(items.map(item => [nameOf({ pk: String(item['pk']), sk: String(item['sk']) }), item]))
  }
  return async key => {
    asked.set(nameOf(key), key)
    found ??= read()
    return (await found).get(nameOf(key))
  }
}
