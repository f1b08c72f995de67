import { closeSync, openSync, readSync, truncateSync, writeSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Json, JsonObject } from '../../json/json-value.ts'
import { parseJson } from '../../json/parse-json.ts'
import { pathInside } from '../../paths/path-inside.ts'
import { ByteText, ColumnKinds, type TableRows } from './row-plan.ts'
import type { NodeType } from './structure-node.ts'
import type { FinishedTable, Piece } from './write-tables.ts'

/** A run of rows that were written with the same columns. */
export interface Segment {
  /** Where it starts in the spool, in bytes. */
  start: number
  /** Nodes of the columns, by id, parent columns aside: those follow at the end of each row. */
  columns: readonly number[]
}

export interface TableSpoolState {
  name: string
  /** By name only: a resumed run may have another folder. */
  file: string
  parents?: readonly string[] | undefined
  header: string
  order: number
  bytes: number
  written: number
  segments: Segment[]
  kinds?: ReturnType<ColumnKinds['save']> | undefined
}

/** The rows of one table: those of the page under way in memory, all others on disk. */
export class TableSpool implements TableRows {
  readonly name: string
  readonly rows = new ByteText()
  count = 0
  itemsType: NodeType | undefined
  kinds: ColumnKinds | undefined
  /** Names of the parent columns of its rows, in the order of the first row. */
  parents: readonly string[] | undefined
  /** When its first row was written, among all tables: parent columns are named in that order. */
  order = -1
  /** Rows on disk. */
  written = 0
  /** The line that the file begins with; usually the final header. */
  header = ''
  segments: Segment[] = []
  #out: AppendFile

  constructor(name: string, file: string, kinds?: ColumnKinds) {
    this.name = name
    this.kinds = kinds
    this.#out = new AppendFile(file)
  }

  get bytes(): number {
    return this.#out.bytes
  }

  /** Puts a header before the first rows, so that a table whose header stays needs no copying in the end. */
  begin(header: string): this {
    this.header = header
    this.#out.write(Buffer.from(header))
    this.segments = this.segments.map(segment => ({ ...segment, start: this.bytes }))
    return this
  }

  /** The page is whole: its rows go to disk. */
  keep(): void {
    this.#out.write(this.rows.take())
    this.written += this.count
    this.drop()
  }

  /** Forgets the rows of the page. */
  drop(): void {
    this.rows.length = 0
    this.count = 0
    this.itemsType = undefined
  }

  /** Rows from here on have these columns. */
  startSegment(columns: readonly number[]): void {
    const current = this.segments.at(-1)
    if (current?.columns.join() === columns.join()) return
    if (current?.start === this.bytes) this.segments.pop()
    this.segments.push({ start: this.bytes, columns })
  }

  /** Flushes, and returns what `restore` needs. */
  save(): TableSpoolState {
    const { name, parents, header, order, bytes, written, segments } = this
    this.#out.flush()
    const file = basename(this.#out.path)
    return { name, file, parents, header, order, bytes, written, segments, kinds: this.kinds?.save() }
  }

  /** Resumes after a checkpoint. What a lost run wrote after it is cut off. */
  restore({ file, bytes, kinds, ...state }: TableSpoolState): this {
    this.#out = new AppendFile(pathInside(dirname(this.#out.path), file), bytes)
    return Object.assign(this, state, { kinds: kinds && new ColumnKinds(kinds) })
  }

  /** @param mappingOf how rows of a segment become those of the table; default: as they are */
  finish(
    table: Pick<FinishedTable, 'columns' | 'primaryKey' | 'types' | 'insteadOf'>,
    mappingOf: (segment: Segment) => Piece['mapping'] = () => undefined,
  ): FinishedTable {
    this.#out.finish()
    const { name, written: rows, kinds, header, segments, bytes } = this
    const { path: file } = this.#out
    const mappings = segments.map(mappingOf)
    const isWhole = mappings.every(mapping => mapping === undefined)
    const pieces = isWhole
      ? [{ file, start: Buffer.byteLength(header), end: bytes, header }]
      : segments.map(({ start }, i) => ({
          file,
          start,
          end: segments[i + 1]?.start ?? bytes,
          mapping: mappings[i],
        }))
    return { ...table, name, rows, kinds, pieces }
  }
}

const BUFFER_BYTES = 1 << 17

/**
 * A file that grows at its end, written in large pieces.
 *
 * It is open only while a piece is written: there can be many tables, and a run that stops has nothing to close. What
 * waits is kept as bytes outside of the heap; as a string it would stay on the heap with all the pieces that it was
 * put together from, and the heap would grow with the run.
 */
export class AppendFile {
  readonly path: string
  /** Length with what waits to be written. */
  bytes: number
  #buffer: Buffer | undefined
  #used = 0

  /** `bytes`: the length of an existing file at the checkpoint. What a lost run wrote after it is cut off. */
  constructor(path: string, bytes = 0) {
    this.path = path
    this.bytes = bytes
    if (bytes > 0) truncateSync(path, bytes)
  }

  write(data: Uint8Array): void {
    this.#buffer ??= Buffer.allocUnsafeSlow(BUFFER_BYTES)
    if (this.#used + data.length > BUFFER_BYTES) this.flush()
    if (data.length > BUFFER_BYTES) this.#append(data)
    else {
      this.#buffer.set(data, this.#used)
      this.#used += data.length
    }
    this.bytes += data.length
  }

  flush(): void {
    if (this.#used === 0 || this.#buffer === undefined) return
    this.#append(this.#buffer.subarray(0, this.#used))
    this.#used = 0
  }

  /** Makes the file, without rows if need be. */
  finish(): void {
    this.flush()
    if (this.bytes === 0) closeSync(openSync(this.path, 'w'))
    this.#buffer = undefined
  }

  /** The first piece replaces what an earlier run may have left under this name. */
  #append(data: Uint8Array): void {
    const isFirst = this.bytes === this.#used
    const descriptor = openSync(this.path, isFirst ? 'w' : 'a')
    try {
      for (let written = 0; written < data.length; ) written += writeSync(descriptor, data, written)
    } finally {
      closeSync(descriptor)
    }
  }
}

const LENGTH_BYTES = 4

/** Writes bytes in front of which their number stands, so that `readRecord` finds where they end. */
export const appendRecord = (out: AppendFile, bytes: Uint8Array): void => {
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32BE(bytes.length)
  out.write(length)
  out.write(bytes)
}

/** The record at a place of an open file, and where the next one begins. */
export const readRecord = (file: number, at: number): { bytes: Buffer; next: number } => {
  const length = read(file, at, LENGTH_BYTES).readUInt32BE()
  const start = at + LENGTH_BYTES
  return { bytes: read(file, start, length), next: start + length }
}

const read = (file: number, at: number, length: number): Buffer => {
  const buffer = Buffer.allocUnsafe(length)
  for (let done = 0; done < length; ) {
    const count = readSync(file, buffer, done, length - done, at + done)
    if (count === 0) throw new Error('A file of the spool is shorter than it was written')
    done += count
  }
  return buffer
}

/** The bytes of a page, and the keys that lead to the items in it. */
export interface PageSource {
  body: Uint8Array
  path: readonly string[]
}

/** What is known of a page besides its body, which follows it. */
interface PageHead {
  type: string
  parent: Readonly<JsonObject>
  path: readonly string[]
}

/**
 * All pages in the order they came, on disk: insurance for the rare case that a late value changes what earlier rows
 * mean (a text that becomes a list). Holds the response bodies as received where the caller hands them over, so that
 * it costs a copy and not a conversion.
 */
export class ItemLog {
  readonly #out: AppendFile

  constructor(folder: string, bytes: number | undefined) {
    this.#out = new AppendFile(pathInside(folder, 'items.log'), bytes)
  }

  get bytes(): number {
    return this.#out.bytes
  }

  /** @param source of the items, where nothing changed them */
  append(type: string, parent: PageHead['parent'], items: readonly Json[], source?: PageSource): void {
    const { body, path } = source ?? { body: Buffer.from(JSON.stringify(items as Json[])), path: [] } // only read
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
