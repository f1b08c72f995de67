import { EventEmitter } from 'node:events'
import type { AskedWait } from '#lib/asked-wait.ts'

/** More than end between a look and the wait after it. */
const KEPT = 10_000

/** Wakes whoever waits for the end of an execution. */
export class EndWatch {
  readonly #ends = new EventEmitter().setMaxListeners(0)
  /** Oldest first. */
  readonly #ended = new Set<string>()

  /** Whether it ended in this process not long ago. */
  hasEnded(name: string): boolean {
    return this.#ended.has(name)
  }

  /** @param name of the execution that has ended */
  wake(name: string): void {
    this.#ended.add(name)
    if (this.#ended.size > KEPT) for (const oldest of this.#ended.values().take(1)) this.#ended.delete(oldest)
    this.#ends.emit(`end of ${name}`)
  }

  /** Resolves after the time, or with the first end of one of the executions; never once the signal is aborted. */
  wait({ waitSeconds, waitsFor = [] }: AskedWait, signal: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const stop = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', stop)
        for (const name of waitsFor) this.#ends.off(`end of ${name}`, wake)
      }
      const wake = () => {
        stop()
        resolve()
      }
      const timer = setTimeout(wake, waitSeconds * 1000)
      signal.addEventListener('abort', stop)
      for (const name of waitsFor) this.#ends.on(`end of ${name}`, wake)
      if (signal.aborted) stop()
    })
  }
}
