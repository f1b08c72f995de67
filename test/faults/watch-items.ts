import type { ItemTable } from '#lib/storage/db/item-table.ts'
import type { Seam } from './seam.ts'

/** The table with each of its calls through the seam; a query passes it once, when it is begun. */
export const watchItems = (seam: Seam, items: ItemTable): ItemTable => ({
  get: key => seam.call('items.get', key, items.get),
  getMany: keys => seam.call('items.getMany', keys, items.getMany),
  put: (key, attributes, when) =>
    seam.call('items.put', { key, attributes, when }, given =>
      items.put(given.key, given.attributes, given.when),
    ),
  swap: (key, attributes, when) =>
    seam.call('items.swap', { key, attributes, when }, given =>
      items.swap(given.key, given.attributes, given.when),
    ),
  update: (key, change) =>
    seam.call('items.update', { key, change }, given => items.update(given.key, given.change)),
  putAll: all => seam.call('items.putAll', all, items.putAll),
  delete: (key, when) =>
    seam.call('items.delete', { key, when }, given => items.delete(given.key, given.when)),
  async *query(pk, range) {
    yield* await seam.call('items.query', { pk, range }, async given => items.query(given.pk, given.range))
  },
})
