/** Something that is read and has to be written, in its turn. */
export interface Write {
  /** Starts it on another thread, or with `here` on this one, when that can be and it was not started. Whether it has. */
  begin?(here?: 'here'): boolean
  /** Set while it is under way on another thread. */
  readonly waitsFor?: Promise<void> | undefined
  run(): void
}

/**
 * What is read and still to be written. All takes effect in the order of reading and on this thread. What can begin before its turn
 * does: on other threads, and while those have enough to do, on this one.
 */
export class WriteQueue {
  readonly #wake: () => void
  readonly #writes: Write[] = []

  /** @param wake called when what was under way is done */
  constructor(wake: () => void) {
    this.#wake = wake
  }

  get length(): number {
    return this.#writes.length
  }

  push(write: Write): void {
    this.#writes.push(write)
    void write.waitsFor?.then(this.#wake) // one that began when it was read
  }

  /** Writes the first, or begins a later one. False when there is nothing to do before `wake`. */
  step(): boolean {
    for (const write of this.#writes) {
      if (write.begin?.() === true) void write.waitsFor?.then(this.#wake)
    }
    const [first] = this.#writes
    if (first === undefined) return false
    if (first.waitsFor !== undefined) return this.#writes.some(write => write.begin?.('here') === true)
    this.#writes.shift()
    first.run()
    return true
  }

  /** Writes all; the first error ends it. */
  async finish(): Promise<void> {
    for (let write = this.#writes.shift(); write !== undefined; write = this.#writes.shift()) {
      await write.waitsFor
      write.run()
    }
  }
}
