/** Copies of more bytes are left to the engine; a loop is faster for fewer. */
const LOOP_BYTES = 48

const QUOTE = 34
const ZERO = 48

/** Text in UTF-8 that grows at its end. Its memory stays for the next text. */
export class ByteText {
  /** A buffer, as all that is copied from: the engine is faster where it sees one kind of them. */
  bytes: Buffer<ArrayBuffer>
  length = 0

  constructor(capacity = 1024) {
    this.bytes = Buffer.allocUnsafeSlow(capacity)
  }

  reserve(more: number): void {
    if (this.length + more > this.bytes.length) this.#grow(this.length + more)
  }

  #grow(least: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(least, this.bytes.length * 2))
    larger.set(this.bytes.subarray(0, this.length))
    this.bytes = larger
  }

  byte(value: number): void {
    this.reserve(1)
    this.bytes[this.length++] = value
  }

  append(text: Buffer): void {
    this.copy(text, 0, text.length)
  }

  copy(source: Buffer, start: number, end: number): void {
    this.reserve(end - start)
    const { bytes } = this
    let { length } = this
    if (end - start > LOOP_BYTES) {
      bytes.set(source.subarray(start, end), length)
      length += end - start
    } else for (let at = start; at < end; at++) bytes[length++] = source[at] as number // below its length
    this.length = length
  }

  /** With each quote twice, as inside a quoted cell. */
  copyCell(source: Buffer, start: number, end: number): void {
    this.reserve(2 * (end - start))
    const { bytes } = this
    let { length } = this
    for (let at = start; at < end; at++) {
      const byte = source[at] as number // below its length
      if (byte === QUOTE) bytes[length++] = QUOTE
      bytes[length++] = byte
    }
    this.length = length
  }

  ascii(text: string): void {
    this.reserve(text.length)
    this.length += this.bytes.write(text, this.length, 'latin1')
  }

  /** A whole number that is not negative. */
  count(value: number): void {
    if (value < 10) this.byte(ZERO + value)
    else {
      this.reserve(10)
      this.length += digitsOf(value)
      writeCount(this.bytes, this.length, value)
    }
  }

  /** Puts a number in the place of one of a single digit. Returns by how much all that follows has moved. */
  replaceDigit(at: number, value: number): number {
    const moved = digitsOf(value) - 1
    if (moved > 0) {
      this.reserve(moved)
      this.bytes.copyWithin(at + 1 + moved, at + 1, this.length)
      this.length += moved
    }
    writeCount(this.bytes, at + 1 + moved, value)
    return moved
  }
}

const digitsOf = (value: number): number => {
  let digits = 1
  for (let rest = value; rest >= 10; rest /= 10) digits++
  return digits
}

/** Its last digit is before `end`. */
const writeCount = (bytes: Uint8Array, end: number, value: number): void => {
  let rest = value
  let at = end
  do {
    bytes[--at] = ZERO + (rest % 10)
    rest = Math.floor(rest / 10)
  } while (rest > 0)
}
