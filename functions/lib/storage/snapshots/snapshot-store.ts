import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { z } from 'zod'
import { UserError } from '../../errors/errors.ts'
import { type ItemTable, type ItemWrite, startingWith } from '../../items/item-table.ts'
import { objectKeys } from '../../table-engine/files/snapshot.ts'
import { idSortKey } from '../db/ids.ts'
import { createSpreadRecords } from '../db/spread-records.ts'
import { snapshotContent, tableFiles } from '../tables/content/snapshot-content.ts'
import { tableDefinition } from '../tables/table-definition.ts'

const snapshotRecord = z.object({
  id: z.number(),
  createdTime: z.string(),
  description: z.string(),
  creatorToken: z.object({ id: z.string(), description: z.string() }),
  /** The branch whose table it keeps. Absent: the default branch. */
  branchId: z.number().optional(),
  /** The table at that time. */
  table: z.object({
    id: z.string(),
    name: z.string(),
    displayName: z.string(),
    created: z.string(),
    lastImportDate: z.string().nullable(),
    lastChangeDate: z.string().nullable(),
    definition: tableDefinition.optional(),
  }),
  snapshot: snapshotContent,
  /** Where the file list is, if it is too long for an item. */
  filesKey: z.string().optional(),
})

/** A snapshot that a user asked for: a table at one time, made of the table's own files. */
export type SnapshotRecord = z.infer<typeof snapshotRecord>

/** 404 `storage.snapshots.notFound`. */
export const snapshotNotFound = (id: number | string): UserError =>
  new UserError('storage.snapshots.notFound', `The snapshot "${String(id).slice(0, 30)}" was not found`)

// An item holds at most 400 KB (DynamoDB Developer Guide, "Item size"), and every list of tables reads the whole item.
const MAX_FILES_BYTES_IN_ITEM = 32 * 1024

const isTooLongForItem = (files: readonly unknown[]): boolean =>
  Buffer.byteLength(JSON.stringify(files)) > MAX_FILES_BYTES_IN_ITEM

/**
 * Kept snapshots, by id. They survive their table. A note under the table's id names each, so that a list reads those of one table, however many
 * others there are.
 */
export const createSnapshotStore = (
  items: ItemTable,
  { s3, tablesBucket }: { s3: S3Client; tablesBucket: string },
) => {
  const records = createSpreadRecords(items, 'SNAPSHOTS', item => snapshotRecord.parse(item))
  const restore = async (record: SnapshotRecord): Promise<SnapshotRecord> => {
    if (record.filesKey === undefined) return record
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: tablesBucket, Key: record.filesKey }))
    if (!Body) throw new Error(`The file list ${record.filesKey} of a snapshot has no body`)
    const files = tableFiles.parse(JSON.parse(await Body.transformToString()))
    return { ...record, snapshot: { ...record.snapshot, files } }
  }
  const noteOf = ({ id, table }: { id: number; table: { id: string } }) => ({
    pk: `SNAPSHOTS#OF#${table.id}`,
    sk: idSortKey(id),
  })

  return {
    /** With its complete file list. */
    async get(id: number): Promise<SnapshotRecord | undefined> {
      const record = await records.get(id)
      return record && restore(record)
    },

    /** For a transaction. */
    async inserting(record: SnapshotRecord): Promise<ItemWrite[]> {
      const note: ItemWrite = { action: 'put', key: noteOf(record), item: { id: record.id } }
      const { files } = record.snapshot
      if (!isTooLongForItem(files)) return [note, records.writing(record, 'absent')]
      const filesKey = `tables/snapshots/${record.id}.json`
      await s3.send(
        new PutObjectCommand({ Bucket: tablesBucket, Key: filesKey, Body: JSON.stringify(files) }),
      )
      const short = { ...record, snapshot: { ...record.snapshot, files: [] }, filesKey }
      return [note, records.writing(short, 'absent')]
    },

    /** For a transaction, too. */
    async deleting(id: number): Promise<ItemWrite[]> {
      const record = await records.get(id)
      return record ? [records.deleting(id), { action: 'delete', key: noteOf(record) }] : []
    },

    /** The keys of all objects that kept snapshots consist of. */
    async *namedKeys(): AsyncGenerator<string> {
      for await (const record of records.list()) {
        if (record.filesKey !== undefined) yield record.filesKey
        const { snapshot } = await restore(record)
        yield* objectKeys(snapshot)
      }
    },

    /** How many a table has, up to a limit. */
    async countOf(tableId: string, limit: number): Promise<number> {
      const { pk } = noteOf({ id: 0, table: { id: tableId } })
      let count = 0
      for await (const _ of items.query(pk, startingWith(''))) if (++count >= limit) break
      return count
    },

    /** Those of a table, newest first. Very long file lists are left out. */
    async *listOf(tableId: string): AsyncGenerator<SnapshotRecord> {
      const { pk } = noteOf({ id: 0, table: { id: tableId } })
      for await (const { id } of items.query(pk, { ...startingWith(''), newestFirst: true })) {
        const record = await records.get(Number(id))
        if (record) yield record
      }
    },
  }
}
