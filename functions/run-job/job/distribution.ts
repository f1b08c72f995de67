import type { ExportDocuments } from '../../lib/distributed/export-documents.ts'
import type { LoadDocuments } from '../../lib/distributed/load-documents.ts'

/** How loads and exports are done that outgrow one function. */
export interface Distribution {
  /** A load of more stored bytes outgrows one function. */
  singleLoadBytes: number
  /**
   * One function merges so many staged bytes by their primary key, into a table of five times as many, and sorts a fourth of
   * them for an export.
   */
  singleMergeBytes: number
  documents: LoadDocuments
  /** An export that reads more bytes of its table outgrows one function. */
  singleExportBytes: number
  /** Bytes of the table that one function exports of a larger one. */
  exportPartBytes: number
  exports: ExportDocuments
}
