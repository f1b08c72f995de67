import { createS3Client } from '../lib/cloud/s3-client.ts'
import { createExportDocuments } from '../lib/distributed/export-documents.ts'
import { createLoadDocuments } from '../lib/distributed/load-documents.ts'
import { GZIP_LIMITS } from '../lib/distributed/load-limits.ts'
import type { Environment } from '../lib/env.ts'
import { createLazyTableEngine } from '../lib/storage/tables/lazy-table-engine.ts'
import type { EngineRoom } from '../lib/storage/tables/tables-scratch.ts'
import { createS3TableFiles } from '../lib/table-engine/s3-table-files.ts'
import type { SplitWorkEvent } from './event.ts'
import { splitWork } from './split-work.ts'

/** The variables that the function's construct must set. */
export const variables = [
  /** Bucket of the table snapshots (Parquet). */
  'TABLES_BUCKET',
  /** Bytes of CSV that one invocation scans or stages. */
  'LOAD_RANGE_BYTES',
  /** `round` or `refuse`: as `run-job` has it, which loads what is not split. */
  'NUMBER_ROUNDING',
] as const
export type SplitWorkEnv = (typeof variables)[number]

export const open = (env: Environment<SplitWorkEnv>, room: EngineRoom) => {
  const s3 = createS3Client(env)
  const tablesBucket = env.TABLES_BUCKET
  const services = {
    s3,
    tablesBucket,
    files: createS3TableFiles({ s3, tablesBucket }),
    documents: createLoadDocuments(s3, tablesBucket),
    exports: createExportDocuments(s3, tablesBucket),
    rangeBytes: Number(env.LOAD_RANGE_BYTES),
    gzipLimits: GZIP_LIMITS,
  }

  const openEngine = createLazyTableEngine({
    s3,
    tablesBucket,
    roundsNumbers: env.NUMBER_ROUNDING === 'round',
    ...room,
  })

  return (event: SplitWorkEvent, signal: AbortSignal) =>
    splitWork(event, { ...services, tableEngine: async () => (await openEngine()).until(signal) })
}
