import { open } from 'node:fs/promises'

const MIB = 1024 ** 2

/**
 * Reads whole files, each into memory that the next one can use again: V8 marks its heap for every 64 MiB of new memory
 * outside of it. What nobody uses goes with the next marking.
 */
export const createFileReader = () => {
  const free: WeakRef<Buffer>[] = []
  const take = (bytes: number): Buffer => {
    while (free.length > 0) {
      const block = free.pop()?.deref()
      if (block && block.length >= bytes) return block
    }
    return Buffer.allocUnsafeSlow(Math.ceil(bytes / MIB) * MIB)
  }
  /** Passes the content to `work`, which may use it until its promise settles. */
  return async <Result>(path: string, work: (content: Buffer) => Promise<Result>): Promise<Result> => {
    const file = await open(path)
    try {
      const { size } = await file.stat()
      const block = take(size)
      for (let filled = 0; filled < size; ) {
        const { bytesRead } = await file.read(block, filled, size - filled, filled)
        if (bytesRead === 0) throw new Error(`${path} became shorter while it was read`)
        filled += bytesRead
      }
      const result = await work(block.subarray(0, size))
      // Not after a failure: a request that was given up may still be reading it.
      free.push(new WeakRef(block))
      return result
    } finally {
      await file.close()
    }
  }
}
