/** One page of a list: at most `limit` entries after `offset`. Reads no further. */
export const page = async <Item>(
  items: AsyncIterable<Item>,
  { limit, offset, isListed }: { limit: number; offset: number; isListed: (item: Item) => boolean },
): Promise<Item[]> => {
  const found: Item[] = []
  let skipped = 0
  if (limit === 0) return found
  for await (const item of items) {
    if (!isListed(item)) continue
    if (skipped++ < offset) continue
    found.push(item)
    if (found.length === limit) break
  }
  return found
}
