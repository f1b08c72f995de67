import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

const FLUSH_CHARACTERS = 1 << 16

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
  order: number
  bytes: number
  rows: number
  segments: readonly Segment[]
}

/**
 * The rows of one table on disk while its header is still open: CSV without a header.
 *
 * Rows gather in a string that is written in large pieces; `mark` and `rollBack` take back the rows of an item that
 * turned out not to fit the columns known so far.
 */
export class TableSpool {
  readonly name: string
  file: string
  /** Names of the parent columns of its rows, in the order of the first row. */
  parents: readonly string[] | undefined
  /** When its first row was written, among all tables: the field names parent columns in that order. */
  order = -1
  bytes = 0
  rows = 0
  pending = ''
  segments: Segment[] = []
  private descriptor: number | undefined
  private markedText = ''
  private markedRows = 0

  constructor(name: string, file: string) {
    this.name = name
    this.file = file
  }

  mark(): void {
    this.markedText = this.pending
    this.markedRows = this.rows
  }

  /** `started`: how many tables had rows at the mark; a table begun since then has not begun. */
  rollBack(started: number): void {
    this.pending = this.markedText
    this.rows = this.markedRows
    if (this.order < started) return
    this.order = -1
    this.parents = undefined
  }

  /** Call between items only: rows that were flushed cannot be rolled back. */
  flushIfLarge(): void {
    if (this.pending.length > FLUSH_CHARACTERS) this.flush()
  }

  flush(): void {
    if (this.pending === '') return
    this.descriptor ??= openSync(this.file, 'a')
    const data = Buffer.from(this.pending)
    for (let written = 0; written < data.length; ) written += writeSync(this.descriptor, data, written)
    this.bytes += data.length
    this.pending = ''
  }

  /** Rows from here on have these columns. */
  startSegment(columns: readonly number[]): void {
    const current = this.segments.at(-1)
    if (current !== undefined && sameIds(current.columns, columns)) return
    this.flush()
    if (current?.start === this.bytes) this.segments.pop()
    this.segments.push({ start: this.bytes, columns })
  }

  /** What `restore` needs, after a flush. */
  save(): TableSpoolState {
    const { name, parents, order, bytes, rows, segments } = this
    return {
      name,
      file: basename(this.file),
      parents: parents ?? null,
      order,
      bytes,
      rows,
      segments: [...segments],
    }
  }

  /** Goes on after a checkpoint; what a later, lost run wrote behind it is cut off. */
  restore(state: TableSpoolState): void {
    this.file = join(dirname(this.file), state.file)
    this.parents = state.parents ?? undefined
    this.order = state.order
    this.bytes = state.bytes
    this.rows = state.rows
    this.segments = [...state.segments]
    this.descriptor = openSync(this.file, 'a')
    ftruncateSync(this.descriptor, state.bytes)
  }

  close(): void {
    if (this.descriptor !== undefined) closeSync(this.descriptor)
    this.descriptor = undefined
  }
}

function sameIds(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((id, i) => id === b[i])
}
