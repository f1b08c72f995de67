import type { NodeType } from './structure-node.ts'

/** The rows of a page, ready to be put behind those before. Their bytes hold until the next page is read. */
export interface PageRows {
  tables: TableRows[]
}

export interface TableRows {
  name: string
  rows: number
  bytes: Uint8Array
  /** What the table's items have become by this page (`LiveTables` says why); absent when it had none of them. */
  itemsType?: NodeType
}
