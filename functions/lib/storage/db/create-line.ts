/**
 * Runs work under one key one at a time, first come first served, within this process. This only saves retries: a
 * condition in the store still prevents two writes at once.
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
