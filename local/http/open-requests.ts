import type { ServerResponse } from 'node:http'
import { within } from '../within.ts'

/** The requests that a server is answering. A stop waits for them. */
export class OpenRequests {
  readonly #open = new Set<ServerResponse>()
  readonly #noneLeft = Promise.withResolvers<void>()
  #drained: Promise<void> | undefined

  get isDraining(): boolean {
    return this.#drained !== undefined
  }

  add(response: ServerResponse): void {
    this.#open.add(response)
    if (this.isDraining) response.shouldKeepAlive = false
    response.once('close', () => {
      this.#open.delete(response)
      if (this.isDraining && this.#open.size === 0) this.#noneLeft.resolve()
    })
  }

  /**
   * From now on every answer closes its connection. Resolves when no request is open, or after `graceMs`. A second call
   * gets the same promise.
   */
  drain(graceMs: number): Promise<void> {
    this.#drained ??= this.#waitUntilNoneLeft(graceMs)
    return this.#drained
  }

  async #waitUntilNoneLeft(graceMs: number): Promise<void> {
    for (const response of this.#open) if (!response.headersSent) response.shouldKeepAlive = false
    if (this.#open.size === 0) return
    await within(graceMs, this.#noneLeft.promise)
  }
}
