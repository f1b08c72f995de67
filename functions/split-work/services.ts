import type { S3Client } from '@aws-sdk/client-s3'
import type { ExportDocuments } from '../lib/distributed/export-documents.ts'
import type { LoadDocuments } from '../lib/distributed/load-documents.ts'
import type { GzipLimits } from '../lib/distributed/load-limits.ts'
import type { TableFiles } from '../lib/table-engine/files/table-files.ts'
import type { TableEngine } from '../lib/table-engine/table-engine.ts'

/** Everything that a step needs. Made once per container. */
export interface SplitWorkServices {
  s3: S3Client
  tablesBucket: string
  files: Pick<TableFiles, 'readDataFile'>
  /** Of loads. */
  documents: LoadDocuments
  exports: ExportDocuments
  tableEngine: () => Promise<TableEngine>
  /** Bytes of CSV that one invocation scans or stages. */
  rangeBytes: number
  gzipLimits: GzipLimits
}
