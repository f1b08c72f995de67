import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type InvocationError, invocationError } from './function-error.ts'

interface Sizes {
  /** Bytes that the function's heap and buffers take now. */
  readonly memoryBytes: () => Promise<number>
  readonly memoryMiB: number
  /** Its `/tmp`. */
  readonly folder: string
  readonly scratchMiB: number
}

/** Seldom enough to cost nothing. What is larger for less time than this is not seen. */
const EVERY_MS = 500

const MiB = 1024 ** 2

/**
 * Says when an invocation takes more memory or more of `/tmp` than its function has. Returns how to stop watching.
 *
 * Memory of native code (DuckDB's) is not seen: it belongs to the process. In Lambda the write that finds `/tmp` full
 * fails; here the invocation ends.
 */
export const watchSizes = (sizes: Sizes, exceeded: (error: InvocationError) => void): (() => void) => {
  let timer: NodeJS.Timeout
  let isOver = false
  const look = async () => {
    const error = await exceededSize(sizes)
    if (isOver) return
    if (error) exceeded(error)
    else watch()
  }
  const watch = () => {
    timer = setTimeout(() => void look(), EVERY_MS).unref()
  }
  watch()
  return () => {
    isOver = true
    clearTimeout(timer)
  }
}

const exceededSize = async (sizes: Sizes): Promise<InvocationError | undefined> => {
  const { memoryMiB, folder, scratchMiB } = sizes
  // A thread that has just ended has no memory.
  const memory = await sizes.memoryBytes().catch(() => 0)
  if (memory > memoryMiB * MiB)
    return invocationError(
      'Runtime.OutOfMemory',
      `The function takes ${Math.ceil(memory / MiB)} MiB of memory and has ${memoryMiB}`,
    )
  const scratch = await bytesIn(folder)
  if (scratch > scratchMiB * MiB)
    return invocationError(
      'Runtime.ExitError',
      `/tmp is full: the function keeps ${Math.ceil(scratch / MiB)} MiB there and has ${scratchMiB}`,
    )
  return undefined
}

/** Files may go while they are counted. */
const bytesIn = async (folder: string): Promise<number> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const sizes = await Promise.all(
    entries
      .filter(entry => entry.isFile())
      .map(entry =>
        stat(join(entry.parentPath, entry.name)).then(
          ({ size }) => size,
          () => 0,
        ),
      ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
