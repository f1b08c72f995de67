import { closeSync, openSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import type { Json, JsonObject } from '../../json/json-value.ts'
import { parseJson } from '../../json/parse-json.ts'
import { AppendFile, appendRecord, readRecord } from './table-spool.ts'

/** The bytes of a page, and the keys that lead to the items in it. */
export interface PageSource {
  body: Uint8Array
  path: readonly string[]
}

export const pageOfItems = (items: readonly Json[]): PageSource => ({
  body: Buffer.from(JSON.stringify(items as Json[])), // only read
  path: [],
})

/** What is known of a page besides its body, which follows it. */
interface PageHead {
  type: string
  parent: JsonObject
  path: readonly string[]
}

/**
 * All pages in the order they came, on disk: insurance for the rare case that a late value changes what earlier rows
 * mean (a text that becomes a list). Holds the response bodies as received where the caller hands them over, so that
 * it costs a copy and not a conversion.
 */
export class ItemLog {
  readonly #out: AppendFile

  constructor(file: string, bytes: number | undefined) {
    this.#out = new AppendFile(file, bytes)
  }

  get bytes(): number {
    return this.#out.bytes
  }

  append(type: string, parent: JsonObject, { body, path }: PageSource): void {
    const head: PageHead = { type, parent, path }
    appendRecord(this.#out, Buffer.from(JSON.stringify(head as unknown as JsonObject))) // a list of strings is JSON, readonly or not
    appendRecord(this.#out, body)
  }

  flush(): void {
    this.#out.flush()
  }

  /** The pages again, one in memory at a time. */
  async *pages(): AsyncGenerator<Omit<PageHead, 'path'> & { items: Json[] }> {
    this.flush()
    if (this.bytes === 0) return
    const file = openSync(this.#out.path, 'r')
    try {
      for (let at = 0; at < this.bytes; ) {
        await setImmediate() // others have work, too
        const head = readRecord(file, at)
        const body = readRecord(file, head.next)
        const { type, parent, path } = parseJson(head.bytes) as unknown as PageHead // written by `append` above
        yield { type, parent, items: itemsAt(parseJson(body.bytes), path) }
        at = body.next
      }
    } finally {
      closeSync(file)
    }
  }
}

/** The items of a response, by the keys that led to them when it came. */
export const itemsAt = (body: Json, path: readonly string[]): Json[] => {
  let value: Json | undefined = body
  for (const key of path) value = (value as JsonObject)[key] // the caller's path led to the items of this body
  return value as Json[]
}
