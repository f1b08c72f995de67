import { closeSync, openSync, truncateSync, writeSync } from 'node:fs'

const BUFFER_BYTES = 1 << 17

/**
 * A file that grows at its end, written in large pieces.
 *
 * It is open only while a piece is written: there can be many tables, and a run that stops has nothing to close. What
 * waits is kept as bytes outside of the heap; as a string it would stay on the heap with all the pieces that it was
 * put together from, and the heap would grow with the run.
 */
export class AppendFile {
  readonly path: string
  /** Length with what waits to be written. */
  bytes: number
  #buffer: Buffer | undefined
  #used = 0

  /** `bytes`: the length of an existing file at the checkpoint. What a lost run wrote after it is cut off. */
  constructor(path: string, bytes = 0) {
    this.path = path
    this.bytes = bytes
    if (bytes > 0) truncateSync(path, bytes)
  }

  write(text: string): void {
    this.#buffer ??= Buffer.allocUnsafeSlow(BUFFER_BYTES)
    // A unit of UTF-16 takes three bytes at most.
    if (text.length * 3 > BUFFER_BYTES) {
      this.writeBytes(Buffer.from(text))
      return
    }
    if (this.#used + text.length * 3 > BUFFER_BYTES) this.flush()
    const length = this.#buffer.write(text, this.#used)
    this.#used += length
    this.bytes += length
  }

  writeBytes(data: Uint8Array): void {
    this.#buffer ??= Buffer.allocUnsafeSlow(BUFFER_BYTES)
    if (this.#used + data.length > BUFFER_BYTES) this.flush()
    if (data.length > BUFFER_BYTES) this.#append(data)
    else {
      this.#buffer.set(data, this.#used)
      this.#used += data.length
    }
    this.bytes += data.length
  }

  flush(): void {
    if (this.#used === 0 || this.#buffer === undefined) return
    this.#append(this.#buffer.subarray(0, this.#used))
    this.#used = 0
  }

  /** Makes the file, without rows if need be. */
  finish(): void {
    this.flush()
    if (this.bytes === 0) closeSync(openSync(this.path, 'w'))
    this.#buffer = undefined
  }

  /** The first piece replaces what an earlier run may have left under this name. */
  #append(data: Uint8Array): void {
    const isFirst = this.bytes === this.#used
    const descriptor = openSync(this.path, isFirst ? 'w' : 'a')
    try {
      for (let written = 0; written < data.length; ) written += writeSync(descriptor, data, written)
    } finally {
      closeSync(descriptor)
    }
  }
}
