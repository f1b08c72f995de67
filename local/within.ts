/** Waits for the promise, for so long at most. */
export const within = async (ms: number, promise: Promise<unknown>): Promise<void> => {
  const late = Promise.withResolvers<void>()
  const timer = setTimeout(late.resolve, ms)
  await Promise.race([promise, late.promise])
  clearTimeout(timer)
}
