import { readEnv } from '../lib/aws/env.ts'
import { createS3Client } from '../lib/aws/s3-client.ts'
import { createExportDocuments } from '../lib/distributed/export-documents.ts'
import { createLazyTableEngine } from '../lib/storage/tables/lazy-table-engine.ts'
import { exportPartsEnvNames } from './env-names.ts'
import type { ExportPartsEvent } from './event.ts'
import { exportParts } from './export-parts.ts'

const env = readEnv(exportPartsEnvNames)
const s3 = createS3Client()
const tablesBucket = env.TABLES_BUCKET
const services = {
  tablesBucket,
  documents: createExportDocuments(s3, tablesBucket),
  tableEngine: createLazyTableEngine(s3, tablesBucket),
}

export const run = (event: ExportPartsEvent) => exportParts(event, services)
