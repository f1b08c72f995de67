/**
 * A number whose text a JavaScript number would change: `12345678901234567890`, `1.50`, `1.0`, `1e5`, `-0`.
 *
 * `parseJson` yields one only for such numbers; all others stay plain numbers. It behaves like its text in template
 * strings, like its nearest double in arithmetic, and `JSON.stringify` writes the text back unchanged.
 */
export class JsonNumber {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  valueOf(): number {
    return Number(this.text)
  }

  toString(): string {
    return this.text
  }

  toJSON(): unknown {
    return JSON.rawJSON(this.text)
  }
}

declare global {
  interface JSON {
    /** ECMAScript proposal "JSON.parse source text access", in Node since 21. Missing in the compiler's library. */
    rawJSON(text: string): unknown
  }
}
