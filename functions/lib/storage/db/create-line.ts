/**
 * Runs work under one key in the order in which it came, one at a time, in this process. Only spares retries: what must
 * not happen twice at once is still refused by a condition in the store.
 */
export const createLine = () => {
  const last = new Map<string, Promise<unknown>>()

  return async <Result>(key: string, work: () => Promise<Result>): Promise<Result> => {
    const before = last.get(key) ?? Promise.resolve()
    const mine = before.then(work, work)
    last.set(key, mine)
    try {
      return await mine
    } finally {
      if (last.get(key) === mine) last.delete(key)
    }
  }
}
