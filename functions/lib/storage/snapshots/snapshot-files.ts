import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { z } from 'zod'
import type { Item } from '../db/item-table.ts'

// An item holds at most 400 KB (DynamoDB Developer Guide, "Item size"), and every list of tables reads the whole item.
const MAX_FILES_BYTES_IN_ITEM = 32 * 1024

export const isTooLongForItem = (files: readonly unknown[]): boolean =>
  Buffer.byteLength(JSON.stringify(files)) > MAX_FILES_BYTES_IN_ITEM

/** Reads the file list of a snapshot whose item names an object with it: of kept snapshots, and of heads of version 0.1. */
export const createSnapshotFiles = (s3: S3Client, tablesBucket: string) => ({
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
