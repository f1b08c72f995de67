import { LRUCache } from 'lru-cache'

/** Something that never changes under its id and number, such as a version of a row. */
export type Reference = readonly [id: string, number: number]

export interface LoadedDocument<Value> {
  reference: Reference
  value: Value
  bytes: number
}

/** Keeps documents that never change in memory: the last used ones, up to a number of bytes. */
export const createDocumentCache = <Value extends object | string>(maxBytes: number) => {
  const cache = new LRUCache<string, Value>({ maxSize: maxBytes })
  const nameOf = (owner: string, [id, number]: Reference): string => `${owner} ${number} ${id}`

  const add = (owner: string, { reference, value, bytes }: LoadedDocument<Value>): void => {
    cache.set(nameOf(owner, reference), value, { size: bytes })
  }

  return {
    add,

    /** By id. Calls `read` for those not in memory. Missing ones are left out. */
    async load(
      owner: string,
      wanted: readonly Reference[],
      read: (missing: readonly Reference[]) => Promise<LoadedDocument<Value>[]>,
    ): Promise<Map<string, Value>> {
      const found = new Map<string, Value>()
      const missing: Reference[] = []
      for (const reference of wanted) {
        const value = cache.get(nameOf(owner, reference))
        if (value === undefined) missing.push(reference)
        else found.set(reference[0], value)
      }
      if (missing.length === 0) return found
      for (const loaded of await read(missing)) {
        add(owner, loaded)
        found.set(loaded.reference[0], loaded.value)
      }
      return found
    },
  }
}
