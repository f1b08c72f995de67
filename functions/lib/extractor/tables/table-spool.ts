import { basename, dirname } from 'node:path'
import { pathInside } from '../../paths/path-inside.ts'
import { AppendFile } from './append-file.ts'

/** A run of rows that were written with the same columns. */
export interface Segment {
  /** Where it starts in the spool, in bytes. */
  start: number
  /** Nodes of the columns, by id, parent columns aside: those follow at the end of each row. */
  columns: readonly number[]
}

export interface TableSpoolState {
  name: string
  file: string
  parents: readonly string[] | null
  header: string
  order: number
  bytes: number
  rows: number
  segments: readonly Segment[]
}

/**
 * The rows of one table on disk while its header is still open: CSV without a header.
 *
 * The rows of a page gather in a string, those of several pages in a buffer; `mark` and `rollBack` take back the rows of an item that
 * turned out not to fit the columns known so far.
 */
export class TableSpool {
  readonly name: string
  #out: AppendFile
  /** Names of the parent columns of its rows, in the order of the first row. */
  parents: readonly string[] | undefined
  /** When its first row was written, among all tables: parent columns are named in that order. */
  order = -1
  rows = 0
  /** The header line when the first rows were written; usually the final one. */
  header = ''
  pending = ''
  segments: Segment[] = []
  #markedText = ''
  #markedRows = 0

  constructor(name: string, file: string) {
    this.name = name
    this.#out = new AppendFile(file)
  }

  get file(): string {
    return this.#out.path
  }

  get bytes(): number {
    return this.#out.bytes
  }

  /** Puts a header before the first rows, so that a table whose header stays needs no copying in the end. */
  expectHeader(line: string): void {
    if (this.bytes > 0 || this.order < 0) return
    this.header = line
    this.#out.write(line)
    this.segments = this.segments.map(segment => ({ ...segment, start: this.bytes }))
  }

  mark(): void {
    this.#markedText = this.pending
    this.#markedRows = this.rows
  }

  /** `started`: how many tables had rows at the mark; a table that started later has none. */
  rollBack(started: number): void {
    this.pending = this.#markedText
    this.rows = this.#markedRows
    if (this.order < started) return
    this.order = -1
    this.parents = undefined
  }

  /** Takes the pending rows for good, to be written with others. */
  accept(): void {
    if (this.pending === '') return
    this.#out.write(this.pending)
    this.pending = ''
  }

  flush(): void {
    this.accept()
    this.#out.flush()
  }

  /** Rows from here on have these columns. */
  startSegment(columns: readonly number[]): void {
    const current = this.segments.at(-1)
    if (current !== undefined && sameIds(current.columns, columns)) return
    this.accept()
    if (current !== undefined && current.start === this.bytes) this.segments.pop()
    this.segments.push({ start: this.bytes, columns })
  }

  /** What `restore` needs, after a flush. */
  save(): TableSpoolState {
    const { name, parents, header, order, bytes, rows, segments } = this
    return {
      name,
      file: basename(this.file),
      parents: parents ?? null,
      header,
      order,
      bytes,
      rows,
      segments: [...segments],
    }
  }

  /** Resumes after a checkpoint. What a lost run wrote after it is cut off. */
  restore(state: TableSpoolState): void {
    this.#out = new AppendFile(pathInside(dirname(this.file), state.file), state.bytes)
    this.parents = state.parents ?? undefined
    this.header = state.header
    this.order = state.order
    this.rows = state.rows
    this.segments = [...state.segments]
  }
}

const sameIds = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((id, i) => id === b[i])
