import { z } from 'zod'
import { hexDigest } from '../../digests.ts'
import { expiringIn, type ItemTable, type ItemWrite, isExpired } from '../../items/item-table.ts'
import { contentRevision } from './aliases/resolve-alias.ts'
import type { TableHead } from './table-record.ts'

const cachedExport = z.object({ fileId: z.number(), revision: z.string() })

/** Longer than any export file is kept. */
const KEPT_DAYS = 3

/**
 * Remembers which file holds which export, so that exporting an unchanged table again gives the same file.
 *
 * `request` is everything that decides the file's content. Any change of the table, or of what an alias shows, makes the
 * entry invalid.
 */
export const createExportCache = (items: ItemTable, now: () => Date) => {
  const keyOf = (table: TableHead, request: unknown) => ({
    pk: `EXPORTS#${table.internalId}`,
    sk: hexDigest(JSON.stringify(request)),
  })

  return {
    async findFileId(table: TableHead, request: unknown): Promise<number | undefined> {
      const item = await items.get(keyOf(table, request))
      const cached = item && !isExpired(item, now()) ? cachedExport.parse(item) : undefined
      return cached?.revision === contentRevision(table) ? cached.fileId : undefined
    },

    /** For the transaction that makes the file. */
    remembering: (table: TableHead, request: unknown, fileId: number): ItemWrite => ({
      action: 'put',
      key: keyOf(table, request),
      item: { fileId, revision: contentRevision(table), ...expiringIn(KEPT_DAYS, now()) },
    }),
  }
}
