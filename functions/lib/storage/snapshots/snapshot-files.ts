import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { z } from 'zod'
import type { Item } from '../db/item-table.ts'
import type { TableRecord } from '../tables/table-record.ts'

// An item holds at most 400 KB (DynamoDB Developer Guide, "Item size"), and every list of tables reads the whole item.
const MAX_FILES_BYTES_IN_ITEM = 32 * 1024

export const isTooLongForItem = (files: readonly unknown[]): boolean =>
  Buffer.byteLength(JSON.stringify(files)) > MAX_FILES_BYTES_IN_ITEM

/**
 * Moves a long file list of a snapshot out of its head item, into an immutable JSON object beside the files. The object
 * is named by its revision. So even a table that is appended to for years has a head that fits.
 */
export const createSnapshotFiles = (s3: S3Client, tablesBucket: string) => ({
  async offload(table: TableRecord): Promise<Item> {
    const { files } = table.snapshot
    if (!isTooLongForItem(files)) return { ...table }
    const filesKey = `tables/${table.internalId}/${table.lastLoad.jobId}/files-${table.revision}.json`
    await s3.send(new PutObjectCommand({ Bucket: tablesBucket, Key: filesKey, Body: JSON.stringify(files) }))
    return { ...table, snapshot: { ...table.snapshot, files: [] }, filesKey }
  },

  async restore(item: Item): Promise<Item> {
    const { filesKey, snapshot } = offloaded.parse(item)
    if (filesKey === undefined) return item
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: tablesBucket, Key: filesKey }))
    if (!Body) throw new Error(`The file list ${filesKey} of a snapshot has no body`)
    return { ...item, snapshot: { ...snapshot, files: JSON.parse(await Body.transformToString()) } }
  },
})

const offloaded = z.object({ filesKey: z.string().optional(), snapshot: z.record(z.string(), z.unknown()) })

export type SnapshotFiles = ReturnType<typeof createSnapshotFiles>
