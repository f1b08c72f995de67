import type { DocumentRequests } from '../../functions/lib/aws/document-requests.ts'
import { createImportRecords, type ImportRecords } from '../../functions/start-import/key-records.ts'
import { createPartNotes, type PartNotes } from '../../functions/start-import/part-notes.ts'
import { createMemoryDocuments } from './memory-documents.ts'

export interface TestRecords extends ImportRecords {
  notes: PartNotes
  /** Where they are, for what only another version writes. */
  documents: DocumentRequests
  tableName: string
}

interface TestRecordsOptions {
  /** Default: in memory. */
  documents?: DocumentRequests
  tableName?: string
  now?: () => Date
  /** Default: every execution is running. */
  isRunning?: (execution: string) => Promise<boolean>
}

/** The records of the import hook. */
export const createTestRecords = ({
  documents = createMemoryDocuments(),
  tableName = 'imports',
  now = () => new Date(),
  isRunning = async () => true,
}: TestRecordsOptions = {}): TestRecords => ({
  ...createImportRecords({ dynamo: documents, tableName, isRunning, now }),
  notes: createPartNotes({ dynamo: documents, tableName, now }),
  documents,
  tableName,
})
