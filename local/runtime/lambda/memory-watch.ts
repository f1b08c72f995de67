import { type InvocationError, invocationError } from './function-error.ts'

interface Watched {
  /** Bytes that the function's heap and buffers take now. */
  readonly memoryBytes: () => Promise<number>
  readonly memoryMiB: number
}

/** Seldom enough to cost nothing. What is larger for less time than this is not seen. */
const EVERY_MS = 500

const MiB = 1024 ** 2

/**
 * Says when an invocation takes more memory than its function has. Returns how to stop watching.
 *
 * Memory of native code (DuckDB's) is not seen: it belongs to the process. Nothing bounds what a function keeps on disk, since
 * on one machine DuckDB may spill as much as there is room for.
 */
export const watchMemory = (
  { memoryBytes, memoryMiB }: Watched,
  exceeded: (error: InvocationError) => void,
): (() => void) => {
  let timer: NodeJS.Timeout
  let isOver = false
  const look = async () => {
    // A thread that has just ended has no memory.
    const memory = await memoryBytes().catch(() => 0)
    if (isOver) return
    if (memory <= memoryMiB * MiB) return watch()
    exceeded(
      invocationError(
        'Runtime.OutOfMemory',
        `The function takes ${Math.ceil(memory / MiB)} MiB of memory and has ${memoryMiB}`,
      ),
    )
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
