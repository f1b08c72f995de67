/*
 * What DynamoDB refuses (Developer Guide, "Quotas", "Item sizes and formats", "Naming rules and data types"), measured on DynamoDB
 * Local, too. It is refused here, so that one machine refuses the same.
 */

type Key = Readonly<Record<'pk' | 'sk', string>>
type Item = Readonly<Record<string, unknown>>

const MOST_KEY_BYTES = { pk: 2048, sk: 1024 }
export const MOST_ITEM_BYTES = 400 * 1024
/** Of lists and maps below an item. */
const MOST_LEVELS = 31
const LEAST_NUMBER = 1e-130

const refusal = (message: string): Error => Object.assign(new Error(message), { name: 'ValidationException' })

export const checkKeys = (keys: readonly Key[]): void => {
  for (const key of keys)
    for (const name of ['pk', 'sk'] as const) {
      if (key[name] === '')
        throw refusal(
          `The AttributeValue for a key attribute cannot contain an empty string value. Key: ${name}`,
        )
      if (Buffer.byteLength(key[name]) > MOST_KEY_BYTES[name])
        throw refusal(
          'Hash primary key values must be under 2048 bytes, and range primary key values must be under 1024 bytes',
        )
    }
  if (keys.length > 1 && new Set(keys.map(({ pk, sk }) => JSON.stringify([pk, sk]))).size < keys.length)
    throw refusal('Provided list of item keys contains duplicates')
}

/** Ours: what one decision needs, and no more. DynamoDB takes 100 (API Reference, "TransactWriteItems"). */
const MOST_WRITES = 25
const MOST_BYTES_TOGETHER = 4 * 1024 * 1024

interface Write {
  readonly action: string
  readonly key: Key
  readonly item?: Item
  readonly change?: { readonly set?: Item }
}

export const checkTransaction = (writes: readonly Write[]): void => {
  if (writes.length === 0 || writes.length > MOST_WRITES)
    throw refusal(`A transaction has 1 to ${MOST_WRITES} items, not ${writes.length}`)
  checkKeys(writes.map(({ key }) => key))
  const items = writes.map(({ key, item, change }) => ({ ...change?.set, ...item, ...key }))
  if (sumOf(items.map(sizeOfItem)) > MOST_BYTES_TOGETHER)
    throw refusal('The items of a transaction have more than 4 MB')
  for (const { action, key, item } of writes) if (action === 'put') checkItem({ ...item, ...key })
}

export const checkRange = (pk: string, from: string, to: string): void => {
  checkKeys([{ pk, sk: from }])
  checkKeys([{ pk, sk: to }])
  if (Buffer.compare(Buffer.from(to), Buffer.from(from)) < 0)
    throw refusal('The BETWEEN operator requires upper bound to be greater than or equal to lower bound')
}

/** @param item with its key */
export const checkItem = (item: Item): void => {
  if (sizeOfItem(item) > MOST_ITEM_BYTES) throw refusal('Item size has exceeded the maximum allowed size')
  if (Object.values(item).some(value => levelsOf(value) > MOST_LEVELS))
    throw refusal('Nesting Levels have exceeded supported limits')
}

/** Bytes: names and values. Throws for a number that DynamoDB cannot hold, and for a name that it cannot. */
export const sizeOfItem = (item: Item): number =>
  sumOf(attributesOf(item).map(([name, value]) => sizeOfName(name) + sizeOf(value)))

/** An `undefined` attribute is absent. */
const attributesOf = (item: object): [string, unknown][] =>
  Object.entries(item).filter(([, value]) => value !== undefined)

const sizeOfName = (name: string): number => {
  if (name === '') throw refusal('Empty attribute name')
  // The SDK makes an object by assignment, which sets no property of this name: the value would be lost in silence.
  if (name === '__proto__') throw refusal('An attribute cannot have the name __proto__')
  return Buffer.byteLength(name)
}

const sumOf = (all: readonly number[]): number => all.reduce((sum, one) => sum + one, 0)

const sizeOf = (value: unknown): number => {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (typeof value === 'number') return sizeOfNumber(value)
  if (Array.isArray(value)) return 3 + sumOf(value.map(each => 1 + sizeOf(each)))
  if (typeof value === 'object' && value !== null)
    return 3 + sumOf(attributesOf(value).map(([name, each]) => 1 + sizeOfName(name) + sizeOf(each)))
  return 1 // A boolean or null.
}

const sizeOfNumber = (value: number): number => {
  const number = Math.abs(value)
  if (!(number <= Number.MAX_SAFE_INTEGER)) throw refusal(`Number ${value} is greater than counts exactly`)
  if (number === 0) return 1
  if (number < LEAST_NUMBER) throw refusal('Number underflow')
  const [digits = '', exponent = ''] = number.toExponential().replace('.', '').split('e')
  // A byte holds two digits, which begin at the point: one more where the first of an even number has a byte of its own.
  const isApart = digits.length % 2 === 0 && Number(exponent) % 2 === 0
  return 1 + Math.ceil(digits.length / 2) + Number(isApart) + Number(value < 0)
}

const levelsOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? 1 + Object.values(value).reduce((most, each) => Math.max(most, levelsOf(each)), 0)
    : 0
