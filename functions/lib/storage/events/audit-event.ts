import { expiryOf, type FileRecord } from '../files/file-store.ts'
import type { EventRecord } from './event-store.ts'

type Messages = typeof messages
export type AuditEventName = { [About in keyof Messages]: keyof Messages[About] }[keyof Messages]

export interface AuditFacts {
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

/** What shows no name but that of its component. */
const ofComponent = '"{name}" ({component})'

/**
 * Every change that makes an event, by what it is about: its name that clients of the API know, without the prefix
 * `storage.`, and its message, in which `{name}` and the like are replaced by what the change gives. Names and messages
 * never change: clients compare them.
 */
const messages = {
  nothing: {
    bucketsListed: 'Listed buckets',
    componentsSearched: 'Components were searched',
  },
  bucket: {
    bucketCreated: 'Created bucket {id}',
    bucketUpdated: 'Updated bucket {id}',
    bucketDeleted: 'Deleted bucket {id}',
    bucketMetadataSet: 'Bucket "{id}" metadata set',
    bucketMetadataDeleted: 'Deleted metadata {metadataId} of bucket {id}',
    tablesListed: 'Listed tables',
  },
  table: {
    tableDetail: 'Table {id} detail',
    tableCredentialsCreated: 'Gave credentials to read table {id}',
    tableDataPreview: 'Previewed table {id}',
    tableAliasCreated: 'Created alias {id} of {source}',
    tableAliasFilterSet: 'Set the filter of alias {id}',
    tableAliasFilterRemoved: 'Removed the filter of alias {id}',
    tableAliasColumnsAutoSyncEnabled: 'Alias {id} follows the columns of its source',
    tableAliasColumnsAutoSyncDisabled: 'Alias {id} keeps the columns that it has',
    tableCreated: 'Created table {id}',
    tableUpdated: 'Updated table {id}',
    tableCopyToBucket: 'Copied table {id} from the default branch',
    tableDeleted: 'Deleted table {id}',
    tableImportDone: 'Imported into table {id}',
    tableExported: 'Exported table {id}',
    tableColumnAdded: 'Added column {column} to table {id}',
    tableColumnDeleted: 'Deleted column {column} of table {id}',
    tableColumnsUpdated: 'Updated columns of table {id}',
    tablePrimaryKeyAdded: 'Set the primary key of table {id}',
    tablePrimaryKeyDeleted: 'Removed the primary key of table {id}',
    tableRestored: 'Restored rows of table {id} from a snapshot',
    tableSwapped: 'Swapped table {id} with {other}',
    tableRowsDeleted: 'Deleted rows of table {id}',
    tableSnapshotCreated: 'Kept a snapshot of table {id}',
    tableMetadataSet: 'Table "{id}" metadata set',
    tableMetadataDeleted: 'Deleted metadata {metadataId} of table {id}',
    columnMetadataSet: 'Column "{column}" of table "{id}" metadata set',
    columnMetadataDeleted: 'Deleted metadata {metadataId} of column {column} of table {id}',
  },
  tableSnapshot: {
    tableSnapshotDeleted: 'Deleted snapshot {id}',
  },
  file: {
    fileUploaded: 'Uploaded file "{name}"',
    fileDeleted: 'Deleted file {id}',
    fileTagAdded: 'Added tag "{tag}" to file {id}',
    fileTagDeleted: 'Deleted tag "{tag}" of file {id}',
  },
  token: {
    tokenCreated: 'Created token "{name}"',
    tokenUpdated: 'Updated token "{name}"',
    tokenRefreshed: 'Refreshed token "{name}"',
    tokenDeleted: 'Deleted token "{name}"',
  },
  trigger: {
    triggerCreated: 'Created trigger {id} ({component})',
    triggerUpdated: 'Updated trigger {id} ({component})',
    triggerDeleted: 'Deleted trigger {id} ({component})',
  },
  deadLetter: {
    deadLetterRedriven: 'Started what failed again: dead letter {id}',
    deadLetterDeleted: 'Deleted dead letter {id}',
  },
  componentConfiguration: {
    componentConfigurationCreated: `Created component configuration ${ofComponent}`,
    componentConfigurationChanged: `Changed component configuration ${ofComponent}`,
    componentConfigurationStateChanged: `Changed state of component configuration ${ofComponent}`,
    componentConfigurationDeleted: `Deleted component configuration ${ofComponent}`,
    componentConfigurationPurged: `Permanently deleted component configuration ${ofComponent}`,
    componentConfigurationRestored: `Restored component configuration ${ofComponent}`,
    componentConfigurationReset: `Reset component configuration ${ofComponent} to the default branch`,
    componentConfigurationRolledBack: `Rolled back component configuration ${ofComponent}`,
    componentConfigurationCopied: 'Copied component configuration "{source}" to "{name}" ({component})',
    componentConfigurationMetadataSet: `Component configuration metadata set ${ofComponent}`,
    componentConfigurationMetadataDeleted:
      'Deleted component configuration metadata id "{metadataId}" with key "{key}"',
  },
  componentConfigurationRow: {
    componentConfigurationRowCreated: `Created component configuration row ${ofComponent}`,
    componentConfigurationRowChanged: `Changed component configuration row ${ofComponent}`,
    componentConfigurationRowStateChanged: `Changed state of component configuration row ${ofComponent}`,
    componentConfigurationRowDeleted: `Deleted component configuration row ${ofComponent}`,
    componentConfigurationRowCopied: `Copied component configuration row ${ofComponent}`,
    componentConfigurationRowRolledBack: `Rolled back component configuration row ${ofComponent}`,
  },
  devBranch: {
    devBranchCreated: 'Created development branch "{name}"',
    devBranchUpdated: 'Updated development branch "{name}"',
    devBranchDeleted: 'Deleted development branch "{name}"',
    devBranchMetadataSet: 'Development branch "{name}" metadata set',
    devBranchMetadataDeleted: 'Development branch "{name}" metadata with key "{key}" deleted',
  },
} as const

/** By name. */
export const auditNames = Object.fromEntries(
  Object.entries(messages).flatMap(([about, ofOne]) =>
    Object.entries(ofOne).map(([name, message]) => [
      name,
      { about: about === 'nothing' ? null : about, message },
    ]),
  ),
) as Readonly<Record<AuditEventName, { about: string | null; message: string }>> // the names are those of the messages
