import type { LoadDocuments } from '../lib/distributed/load-documents.ts'

/** How loads are done that outgrow one function. */
export interface Distribution {
  /** `false`: they are refused. */
  isOn: boolean
  /** A load of more stored bytes outgrows one function. */
  singleLoadBytes: number
  /** One function merges so many staged bytes by their primary key, into a table of five times as many. */
  singleMergeBytes: number
  documents: LoadDocuments
}
