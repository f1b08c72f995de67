import { aliasCodes } from './alias-codes.ts'
import { clientCodes } from './client-codes.ts'
import { configurationCodes } from './configuration-codes.ts'
import { exportCodes } from './export-codes.ts'
import { extractorConfigCodes } from './extractor-config-codes.ts'
import { extractorRunCodes } from './extractor-run-codes.ts'
import { fileCodes } from './file-codes.ts'
import { icebergCodes } from './iceberg-codes.ts'
import { landingCodes } from './landing-codes.ts'
import { projectCodes } from './project-codes.ts'
import { requestCodes } from './request-codes.ts'
import { tableCodes } from './table-codes.ts'

/** The codes by area, in the order of docs/errors.md. */
export const areas = {
  'Any request': requestCodes,
  'Buckets, tables and CSV files': tableCodes,
  'Aliases of tables': aliasCodes,
  'Files and objects': fileCodes,
  'Configurations, schedules and secrets': configurationCodes,
  'Jobs, tokens, branches, events, metadata and triggers': projectCodes,
  'The Iceberg catalog': icebergCodes,
  'Import of landed objects': landingCodes,
  'Exports to one object': exportCodes,
  'Configurations of the extractor': extractorConfigCodes,
  'Runs of the extractor': extractorRunCodes,
  'Callers of a storage service and the command line': clientCodes,
} as const

/**
 * Every error code of ours. Product code imports its types only, so that the texts weigh on no bundle; what errors need
 * while they are made is in `statuses.ts`.
 */
export const catalogue = {
  ...requestCodes,
  ...tableCodes,
  ...aliasCodes,
  ...fileCodes,
  ...configurationCodes,
  ...projectCodes,
  ...icebergCodes,
  ...landingCodes,
  ...exportCodes,
  ...extractorConfigCodes,
  ...extractorRunCodes,
  ...clientCodes,
} as const
