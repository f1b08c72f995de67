import type { Json } from '#lib/json/json-value.ts'

/** Bytes that are no text: the raw output of `md5(x, true)` and its like, on the way to `base64_encode`. */
export class ByteString {
  readonly bytes: Buffer

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }
}

/** A value while an expression is evaluated. */
export type Value = Json | ByteString
