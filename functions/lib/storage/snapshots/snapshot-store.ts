import { z } from 'zod'
import { UserError } from '../../errors/errors.ts'
import { type ItemTable, type ItemWrite, startingWith } from '../../items/item-table.ts'
import { idSortKey } from '../db/ids.ts'
import { createSpreadRecords } from '../db/spread-records.ts'
import { snapshotContent } from '../tables/content/snapshot-content.ts'
import type { TableContents } from '../tables/content/table-contents.ts'
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
  /** Without its files. */
  snapshot: snapshotContent,
  /** Key of the Iceberg metadata file whose current snapshot it is. */
  metadataKey: z.string(),
})

/** A snapshot that a user asked for: a table at one time, made of the table's own files. */
export type SnapshotRecord = z.infer<typeof snapshotRecord>

/** 404 `storage.snapshots.notFound`. */
export const snapshotNotFound = (id: number | string): UserError =>
  new UserError('storage.snapshots.notFound', `The snapshot "${String(id).slice(0, 30)}" was not found`)

/**
 * Kept snapshots, by id. They survive their table. A note under the table's id names each, so that a list reads those of one table, however many
 * others there are.
 */
export const createSnapshotStore = (items: ItemTable, contents: Pick<TableContents, 'currentKeys'>) => {
  const records = createSpreadRecords(items, 'SNAPSHOTS', item => snapshotRecord.parse(item))
  const noteOf = ({ id, table }: { id: number; table: { id: string } }) => ({
    pk: `SNAPSHOTS#OF#${table.id}`,
    sk: idSortKey(id),
  })

  return {
    get: records.get,

    /** For a transaction. */
    inserting: (record: SnapshotRecord): ItemWrite[] => [
      { action: 'put', key: noteOf(record), item: { id: record.id } },
      records.writing(record, 'absent'),
    ],

    /** For a transaction, too. */
    async deleting(id: number): Promise<ItemWrite[]> {
      const record = await records.get(id)
      return record ? [records.deleting(id), { action: 'delete', key: noteOf(record) }] : []
    },

    /** The keys of all objects that kept snapshots consist of. */
    async *namedKeys(): AsyncGenerator<string> {
      for await (const { metadataKey } of records.list()) yield* contents.currentKeys(metadataKey)
    },

    /** How many a table has, up to a limit. */
    async countOf(tableId: string, limit: number): Promise<number> {
      const { pk } = noteOf({ id: 0, table: { id: tableId } })
      let count = 0
      for await (const _ of items.query(pk, startingWith(''))) if (++count >= limit) break
      return count
    },

    /** Those of a table, newest first. */
    async *listOf(tableId: string): AsyncGenerator<SnapshotRecord> {
      const { pk } = noteOf({ id: 0, table: { id: tableId } })
      for await (const { id } of items.query(pk, { ...startingWith(''), newestFirst: true })) {
        const record = await records.get(Number(id))
        if (record) yield record
      }
    },
  }
}
