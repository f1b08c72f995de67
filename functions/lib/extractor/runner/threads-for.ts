/** The thread that asks has enough to do with two others. */
const MOST_THREADS = 3

/** Threads of an extraction that has so many cores, for `ExtractOptions.threads`. */
export const threadsFor = (cores: number): number => Math.min(cores, MOST_THREADS)
