/**
 * Runs `work` for many callers at once: who comes while a run is under way waits with all the others for the next one,
 * which begins after their call, so what they did before it is covered.
 */
export const shareRuns = (work: () => Promise<void>): (() => Promise<void>) => {
  let current: Promise<void> | undefined
  let next: Promise<void> | undefined
  const run = (): Promise<void> => {
    current = work().finally(() => {
      current = undefined
    })
    return current
  }
  return () => {
    if (next) return next
    if (current === undefined) return run()
    next = current
      .catch(() => {}) // Those who waited for it have heard of it.
      .then(() => {
        next = undefined
        return run()
      })
    return next
  }
}
