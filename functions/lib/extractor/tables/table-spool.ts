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

/** The rows of one table on disk while its header is still open: CSV without a header. */
export class TableSpool {
  readonly name: string
  /** Names of the parent columns of its rows, in the order of the first row. */
  parents: readonly string[] | undefined
  /** When its first row was written, among all tables: parent columns are named in that order. */
  order = -1
  rows = 0
  #out: AppendFile
  /** The header line when the first rows were written; usually the final one. */
  header = ''
  segments: Segment[] = []

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

  write(lines: Uint8Array, rows: number): void {
    this.#out.writeBytes(lines)
    this.rows += rows
  }

  flush(): void {
    this.#out.flush()
  }

  /** Rows from here on have these columns. */
  startSegment(columns: readonly number[]): void {
    const current = this.segments.at(-1)
    if (current !== undefined && sameIds(current.columns, columns)) return
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
