import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { ItemKey } from '#lib/storage/db/item-table.ts'

/*
 * What DynamoDB refuses (Developer Guide, "Quotas", "Item sizes and formats", "Naming rules and data types"), measured on DynamoDB Local,
 * too. Dynalite takes some of it.
 */

const MOST_KEY_BYTES = { pk: 2048, sk: 1024 }
export const MOST_ITEM_BYTES = 400 * 1024
/** Of lists and maps below an item. */
const MOST_LEVELS = 31
const LEAST_NUMBER = 1e-130

const refusal = (message: string): Error => Object.assign(new Error(message), { name: 'ValidationException' })

export const checkKeys = (keys: readonly ItemKey[]): void => {
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
  if (new Set(keys.map(({ pk, sk }) => JSON.stringify([pk, sk]))).size < keys.length)
    throw refusal('Provided list of item keys contains duplicates')
}

/** @param item with its key */
export const checkItem = (item: Record<string, AttributeValue>): void => {
  if (sizeOfItem(item) > MOST_ITEM_BYTES) throw refusal('Item size has exceeded the maximum allowed size')
  if (Object.values(item).some(value => levelsOf(value) > MOST_LEVELS))
    throw refusal('Nesting Levels have exceeded supported limits')
}

/** Bytes: names and values. Throws for a number that is too small, and for a name that is empty. */
export const sizeOfItem = (item: Record<string, AttributeValue>): number =>
  sumOf(Object.entries(item).map(([name, value]) => sizeOfName(name) + sizeOf(value)))

const sizeOfName = (name: string): number => {
  if (name === '') throw refusal('Empty attribute name')
  return Buffer.byteLength(name)
}

const sumOf = (all: readonly number[]): number => all.reduce((sum, one) => sum + one, 0)

/** Bytes. Throws for a number that is too small; larger ones than JavaScript counts exactly are refused before. */
const sizeOf = ({ S, N, L, M }: AttributeValue): number => {
  if (S !== undefined) return Buffer.byteLength(S)
  if (N !== undefined) return sizeOfNumber(N)
  if (L) return 3 + sumOf(L.map(value => 1 + sizeOf(value)))
  if (M) return 3 + sumOf(Object.entries(M).map(([name, value]) => 1 + sizeOfName(name) + sizeOf(value)))
  return 1 // A boolean or null.
}

const sizeOfNumber = (text: string): number => {
  const number = Math.abs(Number(text))
  if (number === 0) return 1
  if (number < LEAST_NUMBER) throw refusal('Number underflow')
  const [digits = '', exponent = ''] = number.toExponential().replace('.', '').split('e')
  // A byte holds two digits, which begin at the point: one more where the first of an even number has a byte of its own.
  const isApart = digits.length % 2 === 0 && Number(exponent) % 2 === 0
  return 1 + Math.ceil(digits.length / 2) + Number(isApart) + Number(text.startsWith('-'))
}

const levelsOf = ({ L, M }: AttributeValue): number => {
  const inner = L ?? (M && Object.values(M))
  return inner ? 1 + inner.reduce((most, value) => Math.max(most, levelsOf(value)), 0) : 0
}
