/**
 * Maps the items of a sequence with at most `concurrency` calls under way; results come in the order of the items.
 *
 * An item is asked for only when there is room for it. After a failure no further item is, and the promise rejects once
 * nothing is under way any more, so that what the calls use can be removed then.
 */
export const mapAhead = async <Item, Result>(
  items: AsyncIterable<Item>,
  concurrency: number,
  map: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> => {
  const results: Promise<Result>[] = []
  const underWay = new Set<Promise<unknown>>()
  let failure: { error: unknown } | undefined
  try {
    for await (const item of items) {
      const result = map(item, results.length)
      results.push(result)
      const settled = result
        .catch(error => {
          failure ??= { error }
        })
        .finally(() => underWay.delete(settled))
      underWay.add(settled)
      while (underWay.size >= concurrency) await Promise.race(underWay)
      if (failure) throw failure.error
    }
    return await Promise.all(results)
  } finally {
    await Promise.allSettled(underWay)
  }
}
