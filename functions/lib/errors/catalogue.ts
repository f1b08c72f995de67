import { extractorConfigurationsCodes, extractorRunsCodes } from './extractor-codes.ts'
import {
  aliasesCodes,
  catalogCodes,
  configurationsCodes,
  filesCodes,
  projectCodes,
  requestCodes,
  tablesCodes,
} from './service-codes.ts'

const landingCodes = {
  'landing.keyNotRecognised': 'Neither a landing rule nor the convention says which table the key is for.',
  'landing.invalidTableId': 'The key names a table whose id cannot be used.',
  'landing.notCsv': 'The service that loads the files of the landing bucket reads CSV only.',
  'landing.unknownMetadata': 'The object has metadata with a name that is nearly one of ours.',
  'landing.invalidMetadata': 'The metadata of the object has a value that cannot be used.',
  'landing.objectGone': 'The object was deleted before it was imported.',
  'landing.noVersions': 'The landing bucket kept no versions when the object was written.',
  'landing.reloadFailed':
    'A version that came late was loaded, but newer versions could not be loaded again after it.',
  'landing.leaseLost': 'Another execution has taken the object over.',
  'landing.uploadGone': 'The multipart upload of a file was aborted before its parts were there.',
} as const

const exportsCodes = {
  'export.destinationExists': 'There is an object at the destination, and "overwrite" is false.',
  'export.destinationForbidden': 'The export may not write to the destination.',
  'export.destinationMissing': 'The bucket of the destination does not exist.',
  'storage.slicesNotJoined':
    'The slices of a file are of forms that make no file when they follow each other.',
} as const

const clientsCodes = {
  'storage.unreachable': 'The storage service did not answer at all.',
  'storage.brokenReply': 'The storage service sent half a reply, or no JSON.',
  'storage.ownTokenRefused':
    "The storage service refuses the stack's own token, also after its secret was read again.",
  'storage.jobFailed': 'A job of the storage service failed, and the service gave no code.',
  'cli.noStorage': 'The command knows no storage service.',
  'cli.noToken': 'The command has no token for the service.',
  'cli.usage': 'The command was given something that it cannot use.',
  'cli.noStack': 'The CloudFormation stack cannot be read.',
  'cli.keptTokens': 'The file of tokens of millrace login cannot be read.',
  'cli.notFound': 'What the command is about is not there.',
  'cli.noFile': 'The path to upload is not a file.',
  'cli.fileChanged': 'The file was changed while it was uploaded.',
  'cli.tableId': 'The name of the table is not a table id.',
} as const

/** The codes by area, in the order of docs/errors.md. */
export const areas = {
  'Any request': requestCodes,
  'Buckets, tables and CSV files': tablesCodes,
  'Aliases of tables': aliasesCodes,
  'Files and objects': filesCodes,
  'Configurations, schedules and secrets': configurationsCodes,
  'Jobs, tokens, branches, events, metadata and triggers': projectCodes,
  'The Iceberg catalog': catalogCodes,
  'Import of landed objects': landingCodes,
  'Exports to one object': exportsCodes,
  'Configurations of the extractor': extractorConfigurationsCodes,
  'Runs of the extractor': extractorRunsCodes,
  'Callers of a storage service and the command line': clientsCodes,
} as const

/** Every error code of ours. Product code imports its type only, so that the sentences weigh on no bundle. */
export const catalogue = {
  ...requestCodes,
  ...tablesCodes,
  ...aliasesCodes,
  ...filesCodes,
  ...configurationsCodes,
  ...projectCodes,
  ...catalogCodes,
  ...landingCodes,
  ...exportsCodes,
  ...extractorConfigurationsCodes,
  ...extractorRunsCodes,
  ...clientsCodes,
} as const
