import { mkdirSync } from 'node:fs'
import { UserError } from '#lib/errors/errors.ts'
import type { Json } from '#lib/json/json-value.ts'
import { orderedJson } from '#lib/json/ordered-json.ts'
import { pathInside } from '#lib/paths/path-inside.ts'
import { appendPart, type ItemFile, readAllParts, removeItems } from '../../requests/answers/item-file.ts'
import { AppendFile } from '../../tables/append-file.ts'

/** Bytes of rows that a pass may have: they share the disk with the tables. */
const MAX_RECORDED_BYTES = 2 * 1024 ** 3

export interface SavedRecording {
  bytes: number
  items: number
}

/**
 * The rows of a pass over the pages of a job, as a file of items with a part for each page. They become rows of tables only
 * when a second pass gave the same.
 */
export class PassRecording {
  readonly #folder: string
  readonly #name: string
  readonly #maxBytes: number
  readonly #out: AppendFile
  #items: number

  /** @param folder made when it is missing */
  constructor(
    folder: string,
    name: string,
    { bytes, items }: SavedRecording = { bytes: 0, items: 0 },
    maxBytes = MAX_RECORDED_BYTES,
  ) {
    mkdirSync(folder, { recursive: true })
    this.#folder = folder
    this.#name = name
    this.#items = items
    this.#maxBytes = maxBytes
    this.#out = new AppendFile(pathInside(folder, name), bytes)
  }

  /** @throws UserError `extractor.job.repairTooLarge` */
  add(items: readonly Json[]): void {
    if (items.length > 0) this.#addPart(Buffer.from(`[${items.map(orderedJson).join(',')}]`), items.length)
  }

  /** A page whose items wait in a file, part by part. @throws UserError `extractor.job.repairTooLarge` */
  addFile(file: ItemFile): void {
    for (const { body, items } of readAllParts(this.#folder, file)) this.#addPart(body, items.length)
  }

  #addPart(body: Buffer, items: number): void {
    if (this.#out.bytes + body.length > this.#maxBytes) throw tooLarge(this.#maxBytes)
    appendPart(this.#out, body)
    this.#items += items
  }

  /** After the last page: from here on it can be read. `undefined` without any row. */
  finish(): ItemFile | undefined {
    if (this.#items === 0) return undefined
    this.#out.finish()
    return { name: this.#name, bytes: this.#out.bytes, items: this.#items, digest: this.#name }
  }

  discard(): void {
    removeItems(this.#folder, { name: this.#name })
  }

  save(): SavedRecording {
    this.#out.flush()
    return { bytes: this.#out.bytes, items: this.#items }
  }
}

const tooLarge = (maxBytes: number): UserError =>
  new UserError(
    'extractor.job.repairTooLarge',
    `"completeness": "repair" keeps at most ${Math.round(maxBytes / 1024 ** 2).toLocaleString('en-US')} MiB of rows until two passes gave the same; this job has more.`,
  )
