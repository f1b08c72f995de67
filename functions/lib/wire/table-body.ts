import * as z from 'zod/mini'
import { anyObject, described, emptyList, noValue, wireDateText } from './fields.ts'
import { metadatumBody } from './metadatum-body.ts'

/** The admin of the project who answers for a bucket. */
export const ownerBody = z.object({ id: z.int(), name: z.string(), email: z.string() })

/** A bucket as in lists and inside a table: `tables` is an address (docs/reference/storage-api.md#buckets). */
export const bucketBody = z
  .object({
    uri: z.string(),
    id: z.string().register(described, { example: 'in.c-main' }),
    name: z.string().register(described, { example: 'c-main' }),
    displayName: z.string().register(described, { example: 'main' }),
    idBranch: z.int(),
    stage: z.enum(['in', 'out']),
    description: z.string(),
    tables: z.string(),
    created: wireDateText,
    lastChangeDate: wireDateText,
    updated: z.nullable(wireDateText),
    isReadOnly: z.boolean(),
    dataSizeBytes: z.int(),
    rowsCount: z.int(),
    isMaintenance: z.boolean(),
    backend: z.string(),
    sharing: noValue,
    bucketSharingAllowed: noValue,
    hasExternalSchema: z.boolean(),
    databaseName: z.string(),
    path: z.string(),
    backendPath: z.array(z.string()),
    isSnowflakeSharedDatabase: z.boolean(),
    owner: z.nullable(ownerBody),
    color: z.nullable(z.string()),
    isLinkedBucket: z.boolean(),
    metadata: z.optional(z.array(metadatumBody)),
    attributes: z.optional(emptyList),
  })
  .register(described, { id: 'Bucket' })

/** PHP writes an object without keys as an empty list. Clients accept both. */
const columnMetadata = z.record(z.string(), z.array(metadatumBody))

/**
 * A table in a list. Columns, metadata and bucket are present if requested
 * (docs/reference/storage-api.md#table-resource).
 */
export const listedTableBody = z
  .object({
    uri: z.string(),
    id: z.string().register(described, { example: 'in.c-main.orders' }),
    name: z.string().register(described, { example: 'orders' }),
    displayName: z.string(),
    transactional: z.boolean(),
    primaryKey: z.array(z.string()).register(described, { example: ['id'] }),
    indexType: noValue,
    created: wireDateText,
    lastImportDate: z.nullable(wireDateText),
    lastChangeDate: z.nullable(wireDateText),
    /** `null`: an alias with a filter. Only reading all rows would say. */
    rowsCount: z.nullable(z.int()),
    dataSizeBytes: z.nullable(z.int()),
    isAlias: z.boolean(),
    isAliasable: z.boolean(),
    /** This and the next two: of aliases only. */
    aliasColumnsAutoSync: z.optional(z.boolean()),
    aliasFilter: z.optional(
      z.object({ column: z.string(), operator: z.enum(['eq', 'ne']), values: z.array(z.string()) }),
    ),
    sourceTable: z.optional(
      z.object({
        id: z.string(),
        uri: z.string(),
        name: z.string(),
        project: z.object({ id: z.int(), name: z.string() }),
        definition: z.optional(anyObject),
        metadata: z.optional(z.array(metadatumBody)),
        columnMetadata: z.optional(columnMetadata),
      }),
    ),
    isTyped: z.boolean(),
    timestampType: noValue,
    tableType: z.string(),
    path: z.string(),
    columns: z.optional(z.array(z.string())),
    metadata: z.optional(z.array(metadatumBody)),
    columnMetadata: z.optional(columnMetadata),
    attributes: z.optional(emptyList),
    bucket: z.optional(bucketBody),
  })
  .register(described, { id: 'ListedTable' })

/** A complete table. */
export const tableBody = z
  .extend(listedTableBody, {
    definition: anyObject,
    columns: z.array(z.string()).register(described, { example: ['id', 'city'] }),
    metadata: z.array(metadatumBody),
    columnMetadata,
    attributes: emptyList,
    bucket: bucketBody,
  })
  .register(described, { id: 'Table' })

export type TableBody = z.infer<typeof tableBody>

/** A complete bucket, with its tables. */
export const bucketDetailBody = z
  .extend(bucketBody, {
    // No extension in the document, which would require both forms of `tables` at once.
    tables: z.array(listedTableBody),
    metadata: z.array(metadatumBody),
    attributes: emptyList,
  })
  .register(described, { id: 'BucketDetail' })

/** `results` of an import (docs/reference/storage-api.md#import). */
export const importResultsBody = z
  .object({
    warnings: z.array(z.string()),
    importedColumns: z.array(z.string()),
    totalRowsCount: z.int(),
    totalDataSizeBytes: z.int(),
    importedRowsCount: z.int(),
    replacedRowsCount: z.optional(z.int()).register(described, {
      description: 'Of them: rows that a later one of the file with the same primary key replaced',
    }),
    transaction: noValue,
    timers: z.array(z.object({ name: z.string(), durationSeconds: z.number() })),
  })
  .register(described, { id: 'ImportResults' })
