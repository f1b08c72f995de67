import type { ExportDocuments } from '../lib/distributed/export-documents.ts'
import type { TableEngine } from '../lib/table-engine/table-engine.ts'

/** Everything that a step needs. Made once per container. */
export interface ExportPartsServices {
  tablesBucket: string
  documents: ExportDocuments
  tableEngine: () => Promise<TableEngine>
}
