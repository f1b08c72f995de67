import { aliasOf } from '#lib/storage/tables/other-names.ts'

/** A bucket or a table. `id` is `in.c-main` or `in.c-main.orders`; the name of a bucket is its id. */
interface Named {
  readonly id: string
  readonly name: string
}

/**
 * The items that an identifier stands for: the one with this id, else all with this name or alias. More than one means
 * that nobody can say which is meant.
 */
export const itemsNamed = <Item extends Named>(items: readonly Item[], identifier: string): Item[] => {
  const exact = items.filter(({ id }) => id === identifier)
  if (exact.length > 0) return exact
  return items.filter(({ name }) => name === identifier || aliasOf(name) === identifier)
}

/**
 * The identifier under which each item is listed, in the order of the items: its alias, or its id where another item
 * would answer to the alias too. Each stands for exactly one item.
 */
export const identifiersOf = (items: readonly Named[]): string[] => {
  const answering = new Map<string, number>()
  for (const { name } of items)
    for (const word of new Set([name, aliasOf(name)])) answering.set(word, (answering.get(word) ?? 0) + 1)
  return items.map(({ id, name }) => (answering.get(aliasOf(name)) === 1 ? aliasOf(name) : id))
}
