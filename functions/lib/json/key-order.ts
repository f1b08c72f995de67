import type { JsonObject } from './json-value.ts'

/** Keys in the order of the text, on objects where JavaScript would move number-like keys (`"1"`) to the front. */
const KEY_ORDER = Symbol('key order')

interface OrderedObject extends JsonObject {
  [KEY_ORDER]?: readonly string[]
}

let remembered = false

/** Whether any object of this process carries its own order; without one plain `JSON.stringify` does. */
export const orderIsRemembered = (): boolean => remembered

export const rememberKeyOrder = (object: JsonObject, keys: readonly string[]): void => {
  remembered = true
  Object.defineProperty(object, KEY_ORDER, { value: keys, enumerable: false, configurable: true })
}

/**
 * The keys of an object in the order of the JSON text, or `undefined` when `for in` already gives that order.
 * Number-like keys come first in JavaScript, so looking at the first key is enough.
 */
export const textOrder = (object: JsonObject): readonly string[] | undefined => {
  for (const key in object) {
    const first = key.charCodeAt(0)
    // A digit first is the only way that JavaScript can have moved a key.
    return first >= 48 && first <= 57 ? (object as OrderedObject)[KEY_ORDER] : undefined
  }
  return undefined
}

/** `Object.keys` in the order of the text. */
export const keysInOrder = (object: JsonObject): readonly string[] => textOrder(object) ?? Object.keys(object)
