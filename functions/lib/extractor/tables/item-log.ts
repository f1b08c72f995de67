import { createReadStream } from 'node:fs'
import type { Json, JsonObject } from '../../json/json-value.ts'
import { parseJson } from '../../json/parse-json.ts'
import { AppendFile } from './table-spool.ts'

const READ_BYTES = 1 << 18

/** The bytes of a page, and the keys that lead to the items in it. */
export interface PageSource {
  body: Uint8Array
  path: readonly string[]
}

export const pageOfItems = (items: readonly Json[]): PageSource => ({
  body: Buffer.from(JSON.stringify(items as Json[])), // only read
  path: [],
})

interface LoggedPage {
  type: string
  parent: JsonObject
  items: Json[]
}

/** First line of a record; `bytes` of JSON follow, and a line end. */
interface RecordHead {
  type: string
  parent: JsonObject
  path: readonly string[]
  bytes: number
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
    const head: RecordHead = { type, parent, path, bytes: body.length }
    this.#out.write(`${JSON.stringify(head as unknown as JsonObject)}\n`) // a list of strings is JSON, readonly or not
    this.#out.writeBytes(body)
    this.#out.write('\n')
  }

  flush(): void {
    this.#out.flush()
  }

  /** The pages again, one in memory at a time. */
  async *pages(): AsyncGenerator<LoggedPage> {
    this.flush()
    if (this.bytes === 0) return
    let rest: Buffer = Buffer.alloc(0)
    let wanted = 0
    for await (const chunk of createReadStream(this.#out.path, { highWaterMark: READ_BYTES })) {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      if (rest.length < wanted) continue
      let at = 0
      for (;;) {
        const headEnd = rest.indexOf(10, at)
        if (headEnd === -1) break
        // Written by `append` above.
        const head = parseJson(rest.subarray(at, headEnd)) as unknown as RecordHead
        const end = headEnd + 1 + head.bytes + 1
        wanted = end - at
        if (rest.length < end) break
        const body = parseJson(rest.subarray(headEnd + 1, end - 1))
        yield { type: head.type, parent: head.parent, items: itemsAt(body, head.path) }
        at = end
        wanted = 0
      }
      rest = rest.subarray(at)
    }
  }
}

/** The items of a response, by the keys that led to them when it came. */
export const itemsAt = (body: Json, path: readonly string[]): Json[] => {
  let value: Json | undefined = body
  for (const key of path) value = (value as JsonObject)[key] // the caller's path led to the items of this body
  return value as Json[]
}
