import type { JobMetrics } from '../../lib/storage/jobs/job-record.ts'
import type { TableLoad, TableRecord } from '../../lib/storage/tables/table-record.ts'
import type { LoadResult } from '../../lib/table-engine/load-request.ts'

/** What the head stores about a load, for the job's results. */
export const tableLoad = (
  jobId: number,
  { importedColumns, importedRowsCount, warnings, inBytes, isCompressed }: Omit<LoadResult, 'snapshot'>,
  durationSeconds: number,
): TableLoad => ({
  jobId,
  importedColumns,
  importedRowsCount,
  warnings,
  inBytes,
  isCompressed,
  durationSeconds,
})

/** `results` of a finished import (docs/reference/storage-api.md#import). */
export const importResults = ({ snapshot, lastLoad }: TableRecord) => ({
  warnings: lastLoad.warnings,
  importedColumns: lastLoad.importedColumns,
  totalRowsCount: snapshot.rowsCount,
  totalDataSizeBytes: snapshot.dataSizeBytes,
  importedRowsCount: lastLoad.importedRowsCount,
  transaction: null,
  timers: [{ name: 'load', durationSeconds: lastLoad.durationSeconds }],
})

/** Only the compressed size of a compressed file is known (docs/reference/storage-api.md#jobs). */
export const loadMetrics = ({ inBytes, isCompressed }: TableLoad): JobMetrics => ({
  inCompressed: isCompressed,
  inBytes,
  inBytesUncompressed: isCompressed ? 0 : inBytes,
  outCompressed: false,
  outBytes: 0,
  outBytesUncompressed: 0,
})
