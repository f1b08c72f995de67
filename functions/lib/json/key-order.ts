/**
 * An object whose keys come in this order everywhere (`Object.keys`, `for in`, `JSON.stringify`), number-like ones (`"1"`) too, which
 * JavaScript would move to the front. Few objects need it: all others stay as they are.
 */
export const inOrder = <Value extends object>(object: Value, keys: readonly string[]): Value => {
  if (!keys.some(isNumberLike)) return object
  const wanted = [...new Set(keys)]
  if (Object.keys(object).every((key, at) => key === wanted[at])) return object
  return new Proxy(object, {
    ownKeys: target => {
      const own = new Set(Reflect.ownKeys(target))
      return [...new Set([...wanted.filter(key => own.has(key)), ...own])]
    },
  })
}

/** `Object.fromEntries` that keeps the order of all keys. */
export const objectOf = <Value>(entries: Iterable<readonly [string, Value]>): Record<string, Value> => {
  const all = [...entries]
  return inOrder(
    Object.fromEntries(all),
    all.map(([key]) => key),
  )
}

const isNumberLike = (key: string): boolean => {
  const first = key.charCodeAt(0)
  return first >= 48 && first <= 57
}
