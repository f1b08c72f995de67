/**
 * Maps the items of a sequence with at most `concurrency` calls at a time. Results are in the order of the items.
 *
 * Takes the next item only when a call is free. After a failure it takes no more, and rejects once all running calls
 * have ended, so that the caller can then remove what they use. Of several failures it rejects with that of the first
 * item, so that the same wrong file always gives the same error.
 */
export const mapAhead = async <Item, Result>(
  items: AsyncIterable<Item> | Iterable<Item>,
  concurrency: number,
  map: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> => {
  const results: Promise<Result>[] = []
  const underWay = new Set<Promise<unknown>>()
  let failure: { index: number; error: unknown } | undefined
  const noteFailure = (index: number, error: unknown): void => {
    if (failure === undefined || index < failure.index) failure = { index, error }
  }
  try {
    for await (const item of items) {
      const index = results.length
      const result = map(item, index)
      results.push(result)
      const settled = result.catch(error => noteFailure(index, error)).finally(() => underWay.delete(settled))
      underWay.add(settled)
      while (underWay.size >= concurrency) await Promise.race(underWay)
      if (failure) break
    }
  } catch (error) {
    noteFailure(results.length, error)
  }
  await Promise.all(underWay)
  if (failure) throw failure.error
  return Promise.all(results)
}
