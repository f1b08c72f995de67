/** Keeps a small body in memory; what {@link FileSink} is to a large one. */
export class MemorySink {
  /** Bytes taken so far. */
  size = 0
  readonly #pieces: Buffer[] = []

  /** Takes the bytes without copying. */
  write(bytes: Buffer): undefined {
    this.size += bytes.length
    this.#pieces.push(bytes)
  }

  content(): Buffer {
    return Buffer.concat(this.#pieces, this.size)
  }
}
