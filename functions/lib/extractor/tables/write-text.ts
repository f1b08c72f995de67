import { writeSync } from 'node:fs'

/**
 * Text on its way to a file, as bytes outside of the heap.
 *
 * Kept as a string, it would outlive young garbage collections with all the pieces it was put together from, and the
 * heap would grow with the run.
 */
export class TextBuffer {
  private readonly size: number
  private bytes: Buffer | undefined
  private used = 0

  constructor(size: number) {
    this.size = size
  }

  /** Takes `text`, and writes to `descriptor` what there is no room for. */
  append(descriptor: number, text: string): number {
    this.bytes ??= Buffer.allocUnsafeSlow(this.size)
    // A unit of UTF-16 takes three bytes at most.
    if (this.used + text.length * 3 > this.size) this.flush(descriptor)
    if (text.length * 3 > this.size) return writeText(descriptor, text)
    const length = this.bytes.write(text, this.used)
    this.used += length
    return length
  }

  flush(descriptor: number): void {
    if (this.used === 0 || this.bytes === undefined) return
    writeBytes(descriptor, this.bytes.subarray(0, this.used))
    this.used = 0
  }
}

/** Appends text to an open file as UTF-8; gives the number of bytes. */
export function writeText(descriptor: number, text: string): number {
  const data = Buffer.from(text)
  writeBytes(descriptor, data)
  return data.length
}

export function writeBytes(descriptor: number, data: Uint8Array): void {
  for (let written = 0; written < data.length; ) written += writeSync(descriptor, data, written)
}
