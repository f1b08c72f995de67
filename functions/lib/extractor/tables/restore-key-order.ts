import type { Json, JsonObject } from './json-value.ts'
import { rememberKeyOrder } from './key-order.ts'

const token = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s"{}[\]:,]+/g

/** Walks the text beside the parsed value and notes the keys of each object whose order JavaScript has changed. */
export const restoreKeyOrder = (value: Json, json: string): void => {
  new Walk(json).value(value)
}

class Walk {
  readonly #tokens: IterableIterator<RegExpExecArray>

  constructor(json: string) {
    this.#tokens = json.matchAll(token)
  }

  value(value: Json | undefined, first = this.#next()): void {
    if (first === '{') this.#object(isContainer(value) && !Array.isArray(value) ? value : undefined)
    else if (first === '[') this.#list(Array.isArray(value) ? value : undefined)
  }

  /** `undefined`: an earlier value of a repeated key, which parsing dropped. */
  #object(object: JsonObject | undefined): void {
    const keys = new Set<string>()
    for (let t = this.#next(); t !== '}'; t = this.#next()) {
      if (t === ',') continue
      const key = JSON.parse(t) as string // a string token
      keys.add(key)
      this.#next() // the colon
      this.value(object?.[key])
    }
    if (object !== undefined && [...keys].some(key => /^\d/.test(key))) rememberKeyOrder(object, [...keys])
  }

  #list(list: Json[] | undefined): void {
    let i = 0
    for (let t = this.#next(); t !== ']'; t = this.#next()) if (t !== ',') this.value(list?.[i++], t)
  }

  #next(): string {
    return this.#tokens.next().value?.[0] ?? ''
  }
}

const isContainer = (value: Json | undefined): value is JsonObject | Json[] =>
  typeof value === 'object' && value !== null
