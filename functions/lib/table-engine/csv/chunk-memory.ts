const KIB = 1024

/**
 * Memory for chunks of records, used again and again. V8 marks its whole heap for every 64 MiB of new memory outside of
 * it: with fresh memory for each chunk that took a fourth of the processor time of a load.
 */
export class ChunkMemory {
  readonly #sizes: readonly number[]
  readonly #free: Buffer[] = []

  constructor(chunkBytes: number) {
    // A small file takes little. A chunk is longer than `chunkBytes` by a part of its last record.
    this.#sizes = [64 * KIB, 1024 * KIB, chunkBytes + Math.ceil(chunkBytes / 8)]
  }

  /** At least this many bytes, with arbitrary content. */
  take(bytes: number): Buffer {
    const index = this.#free.findLastIndex(block => block.length >= bytes)
    const [block] = index === -1 ? [] : this.#free.splice(index, 1)
    return block ?? Buffer.allocUnsafeSlow(this.#sizes.find(size => size >= bytes) ?? bytes + (bytes >> 2))
  }

  give(block: Buffer): void {
    this.#free.push(block)
  }
}

/** Bytes that are put together in one block of a memory. */
export class ChunkBytes {
  readonly #memory: ChunkMemory
  #block: Buffer = Buffer.alloc(0)
  #length = 0

  constructor(memory: ChunkMemory) {
    this.#memory = memory
  }

  get length(): number {
    return this.#length
  }

  get lastByte(): number | undefined {
    return this.#block[this.#length - 1]
  }

  append(bytes: Uint8Array): void {
    const length = this.#length + bytes.length
    if (length > this.#block.length) {
      const larger = this.#memory.take(length)
      this.#block.copy(larger, 0, 0, this.#length)
      this.#giveBack(this.#block)
      this.#block = larger
    }
    this.#block.set(bytes, this.#length)
    this.#length = length
  }

  /** Without its last bytes. */
  cut(bytes: number): void {
    this.#length -= bytes
  }

  /** What was put together, to be held until `release`. The next bytes begin another block. */
  take(): { bytes: Buffer; release: () => void } {
    const block = this.#block
    const bytes = block.subarray(0, this.#length)
    this.#block = Buffer.alloc(0)
    this.#length = 0
    let isHeld = true
    const release = (): void => {
      if (isHeld) this.#giveBack(block)
      isHeld = false
    }
    return { bytes, release }
  }

  #giveBack(block: Buffer): void {
    if (block.length > 0) this.#memory.give(block)
  }
}
