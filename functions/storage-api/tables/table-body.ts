import { z } from '@hono/zod-openapi'
import { aliasFilter } from '../../lib/storage/tables/aliases/alias-record.ts'
import { bucketBody } from '../buckets/bucket-body.ts'
import { anyObject, creatorToken, emptyList, noValue, wireDateText } from '../http/body-fields.ts'
import { metadatumBody } from '../metadata/metadata-resource.ts'

/** PHP writes an object without keys as an empty list. Clients accept both. */
const columnMetadata = z.union([z.record(z.string(), z.array(metadatumBody)), emptyList])

/**
 * A table in a list. Columns, metadata and bucket are present if requested
 * (docs/reference/storage-api.md#table-resource).
 */
export const listedTableBody = z
  .object({
    uri: z.string(),
    id: z.string().openapi({ example: 'in.c-main.orders' }),
    name: z.string().openapi({ example: 'orders' }),
    displayName: z.string(),
    transactional: z.boolean(),
    primaryKey: z.array(z.string()).openapi({ example: ['id'] }),
    indexType: noValue,
    created: wireDateText,
    lastImportDate: wireDateText.nullable(),
    lastChangeDate: wireDateText.nullable(),
    /** `null`: an alias with a filter. Only reading all rows would say. */
    rowsCount: z.int().nullable(),
    dataSizeBytes: z.int().nullable(),
    isAlias: z.boolean(),
    isAliasable: z.boolean(),
    /** This and the next two: of aliases only. */
    aliasColumnsAutoSync: z.boolean().optional(),
    aliasFilter: aliasFilter.optional(),
    sourceTable: z
      .object({
        id: z.string(),
        uri: z.string(),
        name: z.string(),
        project: z.object({ id: z.int(), name: z.string() }),
        definition: anyObject.optional(),
      })
      .optional(),
    isTyped: z.boolean(),
    timestampType: noValue,
    tableType: z.string(),
    path: z.string(),
    columns: z.array(z.string()).optional(),
    metadata: z.array(metadatumBody).optional(),
    columnMetadata: columnMetadata.optional(),
    attributes: emptyList.optional(),
    bucket: bucketBody.optional(),
  })
  .openapi('ListedTable')

/** A complete table. */
export const tableBody = listedTableBody
  .extend({
    definition: anyObject.optional(),
    columns: z.array(z.string()).openapi({ example: ['id', 'city'] }),
    metadata: z.array(metadatumBody),
    columnMetadata,
    attributes: emptyList,
    bucket: bucketBody,
  })
  .openapi('Table')

/** A complete bucket, with its tables. */
export const bucketDetailBody = z
  .object({
    // Not extended: the document would then require both forms of `tables` at once.
    ...bucketBody.shape,
    tables: z.array(listedTableBody),
    metadata: z.array(metadatumBody),
    attributes: emptyList,
  })
  .openapi('BucketDetail')

/** `results` of an import (docs/reference/storage-api.md#import). */
export const importResultsBody = z
  .object({
    warnings: z.array(z.string()),
    importedColumns: z.array(z.string()),
    totalRowsCount: z.int(),
    totalDataSizeBytes: z.int(),
    importedRowsCount: z.int(),
    transaction: noValue,
    timers: z.array(z.object({ name: z.string(), durationSeconds: z.number() })),
  })
  .openapi('ImportResults')

/** A kept snapshot with the table as it was. */
export const snapshotBody = z
  .object({
    id: z.string(),
    type: z.literal('table'),
    uri: z.string(),
    dataFileId: z.string(),
    createdTime: wireDateText,
    description: z.string(),
    creatorToken,
    dataSizeBytes: z.int(),
    rowsCount: z.int(),
    table: z.looseObject({ id: z.string(), name: z.string(), columns: z.array(z.string()) }),
  })
  .openapi('Snapshot')
