import type { NodeType } from './structure-node.ts'

/** The rows of a page, ready to be put behind those before. */
export interface PageRows {
  tables: TableRows[]
  /** Paths of lists inside of lists. */
  nested: string[]
  /** Where the bytes of all tables are, when they are in memory of their own (`PageBlocks`). Else they hold until the next page is read. */
  block?: ArrayBuffer
}

export interface TableRows {
  name: string
  rows: number
  bytes: Uint8Array
  /** What the table's items have become by this page (`LiveTables` says why); absent when it had none of them. */
  itemsType?: NodeType
}
