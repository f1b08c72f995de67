import { expiryOf, type FileRecord } from '../files/file-store.ts'
import type { EventRecord } from './event-store.ts'

export type AuditEventName = keyof typeof auditNames

interface AuditFacts {
  /** Of what the event is about. */
  id?: string
  name?: string
  /** More words of the message. */
  words?: Record<string, string>
  params?: object
  results?: object
  attachments?: EventRecord['attachments']
}

type AuditEvent = Pick<
  EventRecord,
  | 'event'
  | 'component'
  | 'type'
  | 'message'
  | 'objectType'
  | 'objectId'
  | 'objectName'
  | 'params'
  | 'results'
  | 'attachments'
>

/**
 * The event that a change makes: `auditEvent('bucketCreated', { id: 'in.c-main', name: 'c-main' })` is
 * `storage.bucketCreated` with the message `Created bucket in.c-main`.
 */
export const auditEvent = (
  name: AuditEventName,
  { id = '', name: objectName, words = {}, params = {}, results = {}, attachments = [] }: AuditFacts,
): AuditEvent => {
  const { about, message } = auditNames[name]
  return {
    event: `storage.${name}`,
    component: 'storage',
    type: 'success',
    message: filled(message, { id, name: objectName ?? id, ...words }),
    objectType: id === '' ? null : about,
    objectId: id,
    objectName: objectName ?? null,
    params: JSON.stringify(params),
    results: JSON.stringify(results),
    attachments,
  }
}

/** In one pass, so that a name which looks like a placeholder stays as it is. */
const filled = (message: string, words: Record<string, string>): string =>
  message.replaceAll(/\{(\w+)\}/g, (_placeholder, word: string) => words[word] ?? '')

/** A file as an event remembers it. */
export const attachmentOf = (file: FileRecord): EventRecord['attachments'][number] => ({
  id: file.id,
  name: file.name,
  isSliced: file.isSliced,
  sizeBytes: file.sizeBytes,
  created: file.created,
  expires: expiryOf(file)?.toISOString() ?? null,
})

/** What an event is about, and its message: `{name}` and the like are replaced by what the change gives. */
interface AuditName {
  about: string | null
  message: string
}

const configuration = 'componentConfiguration'
const row = 'componentConfigurationRow'
const ofComponent = '"{name}" ({component})'

/**
 * Every change that makes an event, by the name that clients of the API know, without its prefix `storage.`. Names and
 * messages never change: clients compare them.
 */
export const auditNames = {
  bucketsListed: { about: null, message: 'Listed buckets' },
  bucketCreated: { about: 'bucket', message: 'Created bucket {id}' },
  bucketUpdated: { about: 'bucket', message: 'Updated bucket {id}' },
  bucketDeleted: { about: 'bucket', message: 'Deleted bucket {id}' },
  bucketMetadataSet: { about: 'bucket', message: 'Bucket "{id}" metadata set' },
  bucketMetadataDeleted: { about: 'bucket', message: 'Deleted metadata {metadataId} of bucket {id}' },

  tablesListed: { about: 'bucket', message: 'Listed tables' },
  tableDetail: { about: 'table', message: 'Table {id} detail' },
  tableCredentialsCreated: { about: 'table', message: 'Gave credentials to read table {id}' },
  tableDataPreview: { about: 'table', message: 'Previewed table {id}' },
  tableAliasCreated: { about: 'table', message: 'Created alias {id} of {source}' },
  tableAliasFilterSet: { about: 'table', message: 'Set the filter of alias {id}' },
  tableAliasFilterRemoved: { about: 'table', message: 'Removed the filter of alias {id}' },
  tableAliasColumnsAutoSyncEnabled: {
    about: 'table',
    message: 'Alias {id} follows the columns of its source',
  },
  tableAliasColumnsAutoSyncDisabled: { about: 'table', message: 'Alias {id} keeps the columns that it has' },
  tableCreated: { about: 'table', message: 'Created table {id}' },
  tableUpdated: { about: 'table', message: 'Updated table {id}' },
  tableCopyToBucket: { about: 'table', message: 'Copied table {id} from the default branch' },
  tableDeleted: { about: 'table', message: 'Deleted table {id}' },
  tableImportDone: { about: 'table', message: 'Imported into table {id}' },
  tableExported: { about: 'table', message: 'Exported table {id}' },
  tableColumnAdded: { about: 'table', message: 'Added column {column} to table {id}' },
  tableColumnDeleted: { about: 'table', message: 'Deleted column {column} of table {id}' },
  tableColumnsUpdated: { about: 'table', message: 'Updated columns of table {id}' },
  tablePrimaryKeyAdded: { about: 'table', message: 'Set the primary key of table {id}' },
  tablePrimaryKeyDeleted: { about: 'table', message: 'Removed the primary key of table {id}' },
  tableRestored: { about: 'table', message: 'Restored rows of table {id} from a snapshot' },
  tableSwapped: { about: 'table', message: 'Swapped table {id} with {other}' },
  tableRowsDeleted: { about: 'table', message: 'Deleted rows of table {id}' },
  tableSnapshotCreated: { about: 'table', message: 'Kept a snapshot of table {id}' },
  tableSnapshotDeleted: { about: 'tableSnapshot', message: 'Deleted snapshot {id}' },
  tableMetadataSet: { about: 'table', message: 'Table "{id}" metadata set' },
  tableMetadataDeleted: { about: 'table', message: 'Deleted metadata {metadataId} of table {id}' },
  columnMetadataSet: { about: 'table', message: 'Column "{column}" of table "{id}" metadata set' },
  columnMetadataDeleted: {
    about: 'table',
    message: 'Deleted metadata {metadataId} of column {column} of table {id}',
  },

  fileUploaded: { about: 'file', message: 'Uploaded file "{name}"' },
  fileDeleted: { about: 'file', message: 'Deleted file {id}' },
  fileTagAdded: { about: 'file', message: 'Added tag "{tag}" to file {id}' },
  fileTagDeleted: { about: 'file', message: 'Deleted tag "{tag}" of file {id}' },

  tokenCreated: { about: 'token', message: 'Created token "{name}"' },
  tokenUpdated: { about: 'token', message: 'Updated token "{name}"' },
  tokenRefreshed: { about: 'token', message: 'Refreshed token "{name}"' },
  tokenDeleted: { about: 'token', message: 'Deleted token "{name}"' },

  triggerCreated: { about: 'trigger', message: 'Created trigger {id} ({component})' },
  triggerUpdated: { about: 'trigger', message: 'Updated trigger {id} ({component})' },
  triggerDeleted: { about: 'trigger', message: 'Deleted trigger {id} ({component})' },

  deadLetterRedriven: { about: 'deadLetter', message: 'Started what failed again: dead letter {id}' },
  deadLetterClosed: { about: 'deadLetter', message: 'Its file was imported since: dead letter {id}' },
  deadLetterDeleted: { about: 'deadLetter', message: 'Deleted dead letter {id}' },

  componentConfigurationCreated: {
    about: configuration,
    message: `Created component configuration ${ofComponent}`,
  },
  componentConfigurationChanged: {
    about: configuration,
    message: `Changed component configuration ${ofComponent}`,
  },
  componentConfigurationStateChanged: {
    about: configuration,
    message: `Changed state of component configuration ${ofComponent}`,
  },
  componentConfigurationDeleted: {
    about: configuration,
    message: `Deleted component configuration ${ofComponent}`,
  },
  componentConfigurationPurged: {
    about: configuration,
    message: `Permanently deleted component configuration ${ofComponent}`,
  },
  componentConfigurationRestored: {
    about: configuration,
    message: `Restored component configuration ${ofComponent}`,
  },
  componentConfigurationReset: {
    about: configuration,
    message: `Reset component configuration ${ofComponent} to the default branch`,
  },
  componentConfigurationRolledBack: {
    about: configuration,
    message: `Rolled back component configuration ${ofComponent}`,
  },
  componentConfigurationCopied: {
    about: configuration,
    message: 'Copied component configuration "{source}" to "{name}" ({component})',
  },
  componentConfigurationMetadataSet: {
    about: configuration,
    message: `Component configuration metadata set ${ofComponent}`,
  },
  componentConfigurationMetadataDeleted: {
    about: configuration,
    message: 'Deleted component configuration metadata id "{metadataId}" with key "{key}"',
  },

  componentConfigurationRowCreated: {
    about: row,
    message: `Created component configuration row ${ofComponent}`,
  },
  componentConfigurationRowChanged: {
    about: row,
    message: `Changed component configuration row ${ofComponent}`,
  },
  componentConfigurationRowStateChanged: {
    about: row,
    message: `Changed state of component configuration row ${ofComponent}`,
  },
  componentConfigurationRowDeleted: {
    about: row,
    message: `Deleted component configuration row ${ofComponent}`,
  },
  componentConfigurationRowCopied: {
    about: row,
    message: `Copied component configuration row ${ofComponent}`,
  },
  componentConfigurationRowRolledBack: {
    about: row,
    message: `Rolled back component configuration row ${ofComponent}`,
  },
  componentsSearched: { about: null, message: 'Components were searched' },

  devBranchCreated: { about: 'devBranch', message: 'Created development branch "{name}"' },
  devBranchUpdated: { about: 'devBranch', message: 'Updated development branch "{name}"' },
  devBranchDeleted: { about: 'devBranch', message: 'Deleted development branch "{name}"' },
  devBranchMetadataSet: { about: 'devBranch', message: 'Development branch "{name}" metadata set' },
  devBranchMetadataDeleted: {
    about: 'devBranch',
    message: 'Development branch "{name}" metadata with key "{key}" deleted',
  },
} as const satisfies Record<string, AuditName>
