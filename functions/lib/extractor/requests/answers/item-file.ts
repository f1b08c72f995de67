import { createHash, randomUUID } from 'node:crypto'
import { closeSync, mkdirSync, openSync, rmSync } from 'node:fs'
import type { Json } from '#lib/json/json-value.ts'
import { parseJson } from '#lib/json/parse-json.ts'
import { pathInside } from '#lib/paths/path-inside.ts'
import { AppendFile, appendRecord, readRecord } from '../../tables/table-spool.ts'

/** Items that go to the tables at once, whichever is reached first. */
const PART_ITEMS = 1_000
const PART_BYTES = 1024 * 1024

/** The items of one answer in a file, in parts of which one at a time is in memory. Plain JSON: a checkpoint holds it. */
export interface ItemFile {
  name: string
  bytes: number
  items: number
  /** Of the items, to notice an API that gives the same page again. */
  digest: string
}

/**
 * Writes all items of an answer. Only a whole answer becomes a file: an error on the way removes it.
 *
 * @param folder made when it is missing
 */
export const writeItems = async (folder: string, items: AsyncIterable<Json>): Promise<ItemFile> => {
  mkdirSync(folder, { recursive: true })
  const name = randomUUID()
  const out = new AppendFile(pathInside(folder, name))
  const digest = createHash('sha256')
  let part: string[] = []
  let length = 0
  let count = 0

  const writePart = (): void => {
    if (part.length === 0) return
    const body = Buffer.from(`[${part.join(',')}]`)
    appendRecord(out, body)
    digest.update(body)
    count += part.length
    part = []
    length = 0
  }

  try {
    for await (const item of items) {
      const text = JSON.stringify(item)
      part.push(text)
      length += text.length
      if (part.length >= PART_ITEMS || length >= PART_BYTES) writePart()
    }
    writePart()
    out.finish()
  } catch (error) {
    rmSync(out.path, { force: true })
    throw error
  }
  return { name, bytes: out.bytes, items: count, digest: digest.digest('base64url') }
}

/** One part: its items, the JSON that they come from, and where the next part begins. */
interface Part {
  items: Json[]
  body: Buffer
  next: number
}

/** The part at a place of the file; `undefined` at its end. */
export const readPart = (folder: string, { name, bytes }: ItemFile, at: number): Part | undefined => {
  if (at >= bytes) return undefined
  const file = openSync(pathInside(folder, name), 'r')
  try {
    const { bytes: body, next } = readRecord(file, at)
    return { items: parseJson(body) as Json[], body, next } // as written above
  } finally {
    closeSync(file)
  }
}

/** All items again, for a paginator that looks at each of a page. */
export const readAllItems = function* (folder: string, file: ItemFile): Generator<Json> {
  for (let part = readPart(folder, file, 0); part !== undefined; part = readPart(folder, file, part.next))
    yield* part.items
}

export const removeItems = (folder: string, { name }: Pick<ItemFile, 'name'>): void =>
  rmSync(pathInside(folder, name), { force: true })
