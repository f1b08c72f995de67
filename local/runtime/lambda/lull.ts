import { within } from '../../within.ts'

interface LullOptions {
  /** Nobody waits longer for lighter work than this. */
  readonly longestMs: number
  /** Light work of which none begins for so long keeps nobody waiting: it takes minutes, such as extractions. */
  readonly standstillMs: number
}

const usual: LullOptions = { longestMs: 10_000, standstillMs: 2_000 }

/**
 * The time in which no invocation of a light function waits for a process. Heavy ones wait for it before they begin.
 *
 * Many files that land at once are many light hooks, each of which makes a load. A load takes along the files that wait
 * behind it, so the later loads begin, the fewer they are.
 */
export class Lull {
  readonly #options: LullOptions
  #waiting = 0
  /** When a light invocation last began, or began to wait behind none (milliseconds of `performance.now`). */
  #movedAt = 0
  #begins = Promise.withResolvers<void>()
  #isClosed = false

  constructor(options = usual) {
    this.#options = options
  }

  /** A light invocation waits for a process. The caller calls the result when it has one. */
  lightWaits(): () => void {
    if (this.#waiting === 0) this.#movedAt = performance.now()
    this.#waiting++
    return () => {
      this.#movedAt = performance.now()
      this.#waiting--
      if (this.#waiting === 0) this.#begin()
    }
  }

  /** Resolves in the next lull, at once when there is one now. */
  async wait(): Promise<void> {
    const { longestMs, standstillMs } = this.#options
    const latest = performance.now() + longestMs
    while (this.#waiting > 0 && !this.#isClosed) {
      const leftMs = Math.min(latest, this.#movedAt + standstillMs) - performance.now()
      if (leftMs <= 0) return
      await within(leftMs, this.#begins.promise)
    }
  }

  /** Lets all begin, now and from now on. */
  close(): void {
    this.#isClosed = true
    this.#begin()
  }

  #begin(): void {
    this.#begins.resolve()
    this.#begins = Promise.withResolvers()
  }
}
