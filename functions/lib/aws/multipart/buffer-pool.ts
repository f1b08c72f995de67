/**
 * Buffers of one size that are used again and again: thousands of parts, each with memory of its own, grow a process by
 * far more than it holds at any time. As many are made as are in use side by side.
 */
export const createBufferPool = (bytes: number) => {
  const free: Uint8Array<ArrayBuffer>[] = []
  return {
    /** Lends a buffer, whatever it holds, until the promise settles. */
    lend: async <Result>(use: (buffer: Uint8Array<ArrayBuffer>) => Promise<Result>): Promise<Result> => {
      const buffer = free.pop() ?? new Uint8Array(bytes)
      try {
        return await use(buffer)
      } finally {
        free.push(buffer)
      }
    },
  }
}
