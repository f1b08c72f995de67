import type { RecordTable } from '../../functions/start-import/key-records.ts'
import { createImportRecords, type ImportRecords } from '../../functions/start-import/key-records.ts'
import { createMemoryItemTable } from './memory-item-table.ts'

export interface TestRecords extends ImportRecords {
  /** Where they are, for what only another version writes. */
  table: RecordTable
}

interface TestRecordsOptions {
  /** Default: in memory. */
  table?: RecordTable
  now?: () => Date
  /** Default: every execution is running. */
  isRunning?: (execution: string) => Promise<boolean>
}

/** The records of the import hook. */
export const createTestRecords = ({
  table = createMemoryItemTable(),
  now = () => new Date(),
  isRunning = async () => true,
}: TestRecordsOptions = {}): TestRecords => ({
  ...createImportRecords({ table, isRunning, now }),
  table,
})
