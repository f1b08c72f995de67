const EVERY_MS = 3_000

/**
 * Tells what somebody who waits likes to see, at most every so many milliseconds and one word at a time; words between are left out.
 * Nothing depends on them.
 *
 * @param tell never rejects
 */
export const tellNowAndThen = <Word>(tell: (word: Word) => Promise<void>, everyMs = EVERY_MS) => {
  let lastMs = Date.now()
  let telling: Promise<void> | undefined
  return {
    say: (word: Word): void => {
      if (telling !== undefined || Date.now() - lastMs < everyMs) return
      lastMs = Date.now()
      telling = tell(word).finally(() => {
        telling = undefined
      })
    },
    /** Once nothing is being sent. */
    settled: async (): Promise<void> => telling,
  }
}
