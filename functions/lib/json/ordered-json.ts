import { JsonNumber } from './json-number.ts'
import type { Json } from './json-value.ts'
import { keysInOrder, orderIsRemembered } from './key-order.ts'

/** `JSON.stringify` that keeps the key order of the API's text, number-like keys included. */
export const orderedJson = (value: Json): string =>
  orderIsRemembered() ? write(value) : JSON.stringify(value)

const write = (value: Json): string => {
  if (typeof value !== 'object' || value === null || value instanceof JsonNumber) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`
  const fields = keysInOrder(value).map(key => `${JSON.stringify(key)}:${write(value[key] as Json)}`) // its own keys
  return `{${fields.join(',')}}`
}
