import type { Decision } from '../../lib/items/item-table.ts'
import type { DecidedWork, JobMetrics, ProcessingJob } from '../../lib/storage/jobs/job-record.ts'
import type { TableHead } from '../../lib/storage/tables/table-record.ts'
import { tableResource } from '../../lib/storage/tables/table-resource.ts'
import type { LoadResult } from '../../lib/table-engine/files/load-request.ts'
import type { RunJobServices } from '../job/services.ts'

type Results = Record<string, unknown> | null

/** What a successful job stores. */
export interface Outcome {
  /** Of a function: as they are when it is decided. */
  results: Results | (() => Results)
  /** Default: none. */
  metrics?: JobMetrics
  /**
   * What makes its work visible, in the transaction that ends the job. Asked for again where that was refused; `undefined`: it would be
   * refused.
   */
  decide?: ((isAgain: boolean) => Promise<Decision>) | undefined
  /** What is left to do then, before its end is told. */
  rest?: DecidedWork['rest'] | undefined
}

/** The machine has to do these parts of an export side by side; then the job runs again. */
export interface InParts {
  parts: number[]
}

/** The table as the results of a job show it; `null` when its bucket is gone by now. */
export const tableResults = async (
  { baseUrl }: ProcessingJob,
  table: TableHead,
  services: RunJobServices,
): Promise<Record<string, unknown> | null> => {
  const bucket = await services.buckets.get(table.bucketId)
  if (!bucket) return null
  return tableResource(table, bucket, await services.totals.of(bucket.id), { ...services, baseUrl })
}

/** What a job says of a load. */
export interface JobLoad
  extends Pick<
    LoadResult,
    'importedColumns' | 'importedRowsCount' | 'replacedRowsCount' | 'warnings' | 'inBytes' | 'isCompressed'
  > {
  durationSeconds: number
}

/** `results` of a finished import (docs/reference/storage-api.md#import). */
export const importResults = (
  snapshot: Pick<LoadResult['snapshot'], 'rowsCount' | 'dataSizeBytes'>,
  load: JobLoad,
) => ({
  warnings: load.warnings,
  importedColumns: load.importedColumns,
  totalRowsCount: snapshot.rowsCount,
  totalDataSizeBytes: snapshot.dataSizeBytes,
  importedRowsCount: load.importedRowsCount,
  replacedRowsCount: load.replacedRowsCount,
  transaction: null,
  timers: [{ name: 'load', durationSeconds: load.durationSeconds }],
})

/** Only the compressed size of a compressed file is known (docs/reference/storage-api.md#jobs). */
export const loadMetrics = ({ inBytes, isCompressed }: JobLoad): JobMetrics => ({
  inCompressed: isCompressed,
  inBytes,
  inBytesUncompressed: isCompressed ? 0 : inBytes,
  outCompressed: false,
  outBytes: 0,
  outBytesUncompressed: 0,
})
