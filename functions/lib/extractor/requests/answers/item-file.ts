import { createHash, randomUUID } from 'node:crypto'
import { closeSync, mkdirSync, openSync, readSync, rmSync } from 'node:fs'
import type { Json } from '#lib/json/json-value.ts'
import { parseJson } from '#lib/json/parse-json.ts'
import { pathInside } from '#lib/paths/path-inside.ts'
import { PART_BYTES, PART_ITEMS } from '../../config/response-schema.ts'
import { AppendFile } from '../../tables/table-spool.ts'

/** The items of one answer in a file, in parts of which one at a time is in memory. Plain JSON: a checkpoint holds it. */
export interface ItemFile {
  name: string
  bytes: number
  items: number
  /** Of the items, to notice an API that gives the same page again. */
  digest: string
}

const HEAD_BYTES = 4

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
    appendPart(out, body)
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

/** @param body a JSON list of items */
const appendPart = (out: AppendFile, body: Buffer): void => {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt32BE(body.length)
  out.writeBytes(head)
  out.writeBytes(body)
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
    const length = read(file, at, HEAD_BYTES).readUInt32BE()
    const body = read(file, at + HEAD_BYTES, length)
    return { items: parseJson(body) as Json[], body, next: at + HEAD_BYTES + length } // as written above
  } finally {
    closeSync(file)
  }
}

const read = (file: number, at: number, length: number): Buffer => {
  const buffer = Buffer.allocUnsafe(length)
  for (let done = 0; done < length; ) {
    const count = readSync(file, buffer, done, length - done, at + done)
    if (count === 0) throw new Error('A file of items is shorter than it was written')
    done += count
  }
  return buffer
}

/** All items again, for a paginator that looks at each of a page. */
export const readAllItems = function* (folder: string, file: ItemFile): Generator<Json> {
  for (let part = readPart(folder, file, 0); part !== undefined; part = readPart(folder, file, part.next))
    yield* part.items
}

export const removeItems = (folder: string, { name }: Pick<ItemFile, 'name'>): void =>
  rmSync(pathInside(folder, name), { force: true })
