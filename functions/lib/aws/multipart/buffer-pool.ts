/**
 * Buffers of one size, used again and again. Thousands of parts with memory of their own would grow the process far
 * beyond what it holds at any time. The pool makes as many buffers as are in use at once.
 */
export const createBufferPool = (bytes: number) => {
  const free: Uint8Array<ArrayBuffer>[] = []
  return {
    /** Passes a buffer with arbitrary content to `work`, and takes it back when the promise settles. */
    use: async <Result>(work: (buffer: Uint8Array<ArrayBuffer>) => Promise<Result>): Promise<Result> => {
      const buffer = free.pop() ?? new Uint8Array(bytes)
      try {
        return await work(buffer)
      } finally {
        free.push(buffer)
      }
    },
  }
}
