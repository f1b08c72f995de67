import { AsyncLocalStorage } from 'node:async_hooks'
import type { ItemKey, ItemTable } from '#lib/items/item-table.ts'
import { writtenKinds } from '../../infra/written-kinds.ts'

type Writer = keyof typeof writtenKinds

const writer = new AsyncLocalStorage<Writer>()

/** Runs as the function does in an account, whose role writes the kinds of items only that the function owns. */
export const asFunction = <Result>(name: Writer, run: () => Promise<Result>): Promise<Result> =>
  writer.run(name, run)

const isOfKind = (pk: string, kind: string): boolean =>
  kind.endsWith('*') ? pk.startsWith(kind.slice(0, -1)) : pk === kind

const refuseOthers = (keys: readonly ItemKey[]): void => {
  const name = writer.getStore()
  const other = name && keys.find(({ pk }) => !writtenKinds[name].some(kind => isOfKind(pk, kind)))
  if (other) throw new Error(`AccessDeniedException: ${name} may not write ${other.pk}`)
}

/** Refuses what IAM would refuse. */
export const guardWrites = (items: ItemTable): ItemTable => ({
  ...items,
  put: async (key, attributes, when) => {
    refuseOthers([key])
    return items.put(key, attributes, when)
  },
  swap: async (key, attributes, when) => {
    refuseOthers([key])
    return items.swap(key, attributes, when)
  },
  update: async (key, change, when) => {
    refuseOthers([key])
    return items.update(key, change, when)
  },
  putAll: async all => {
    refuseOthers(all)
    return items.putAll(all)
  },
  transact: async writes => {
    refuseOthers(writes.flatMap(({ action, key }) => (action === 'check' ? [] : [key])))
    return items.transact(writes)
  },
  delete: async (key, when) => {
    refuseOthers([key])
    return items.delete(key, when)
  },
})
