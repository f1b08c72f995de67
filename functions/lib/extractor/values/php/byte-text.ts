/** Lines in UTF-8, put together outside of the heap: as strings those of a page would outlive what V8 collects cheaply. */
export class ByteText {
  bytes: Buffer<ArrayBuffer> = Buffer.allocUnsafeSlow(1024)
  length = 0

  line(text: string): void {
    const needed = this.length + 3 * text.length // at most, for each unit of UTF-16
    if (needed > this.bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.bytes.length * 2))
      larger.set(this.bytes.subarray(0, this.length))
      this.bytes = larger
    }
    this.length += this.bytes.write(text, this.length)
  }

  /** The lines so far; the next one takes their place. */
  take(): Uint8Array {
    const lines = this.bytes.subarray(0, this.length)
    this.length = 0
    return lines
  }
}
