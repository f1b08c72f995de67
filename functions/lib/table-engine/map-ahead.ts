/**
 * Maps the items of a sequence with at most `concurrency` calls at a time. Results are in the order of the items.
 *
 * Takes the next item only when a call is free. After a failure it takes no more, and rejects once all running calls
 * have ended, so that the caller can then remove what they use.
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
