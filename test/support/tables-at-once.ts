import type { TableHead, TableRecord } from '#lib/storage/tables/table-record.ts'
import type { TableStore } from '#lib/storage/tables/table-store.ts'

/** Changes of heads that jobs make with their ends, each by itself. Resolve to false when they are refused. */
export const tablesAtOnce = (tables: TableStore) => ({
  insert: async (table: TableRecord) => tables.decide(await tables.inserting(table)),
  replace: async (table: TableRecord) => tables.decide(await tables.replacing(table)),
  rename: async (head: TableHead, displayName: string) =>
    tables.decide(await tables.renaming(head, displayName)),
  /** Whatever shows it. */
  delete: async (head: TableHead) => tables.decide(await tables.deleting(head)),
})
