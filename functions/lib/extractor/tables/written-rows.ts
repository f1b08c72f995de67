import type { NodeType } from './structure-node.ts'

/** The rows of a page, ready to be put behind those before. */
export interface PageRows {
  tables: TableRows[]
  /** Paths of lists inside of lists. */
  nested: string[]
}

export interface TableRows {
  name: string
  rows: number
  bytes: Uint8Array<ArrayBuffer>
  /** What the table's items have become by this page (`LiveTables` says why); absent when it had none of them. */
  itemsType?: NodeType
}
