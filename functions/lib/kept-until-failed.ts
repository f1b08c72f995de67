/** Makes it with the first call, and keeps it. After a failure the next call makes it anew. */
export const keptUntilFailed = <Given extends readonly unknown[], Result>(
  make: (...given: Given) => Promise<Result>,
): ((...given: Given) => Promise<Result>) => {
  let kept: Promise<Result> | undefined
  return (...given) => {
    kept ??= make(...given).catch((error: unknown) => {
      kept = undefined
      throw error
    })
    return kept
  }
}
