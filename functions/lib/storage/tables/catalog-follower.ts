import { followHead } from '#lib/iceberg/glue/follow-head.ts'
import type { GlueCatalog, MetadataFile } from '#lib/iceberg/glue/glue-catalog.ts'
import { defaultBranchId } from '../db/branch-id.ts'
import type { NextId } from '../db/ids.ts'
import type { EventStore } from '../events/event-store.ts'
import { tableWarning } from '../events/table-warning.ts'
import type { TableObjects } from './content/table-objects.ts'
import type { TableRecord } from './table-record.ts'

interface CatalogFollowerOptions {
  /** The tables of this development branch are followed. Default: those of the default branch. */
  branchId?: number | undefined
  catalog: GlueCatalog
  objects: Pick<TableObjects, 'read'>
  events: EventStore
  nextId: NextId
  now: () => Date
}

type Registered = Pick<TableRecord, 'glueName' | 'branchId'>

/**
 * Keeps the Glue Data Catalog at the heads of tables. A commit of somebody else becomes an event of the table.
 *
 * A branch sees tables of the default branch that it has not made its own: their names in Glue are left alone.
 */
export const createCatalogFollower = (options: CatalogFollowerOptions) => {
  const { branchId, catalog, objects, events, nextId, now } = options
  const nameOf = (table: Registered): string | undefined =>
    table.branchId === branchId ? table.glueName : undefined
  return {
    async follow(
      table: Registered,
      tableId: string,
      readHead: () => Promise<MetadataFile | undefined>,
    ): Promise<void> {
      const name = nameOf(table)
      if (name === undefined) return
      const glueTable = `${catalog.database}.${name}`
      await followHead({
        catalog,
        name,
        read: objects.read,
        readHead,
        onForeign: async ({ metadataLocation, queryId }) => {
          const made = queryId === undefined ? 'somebody' : `the query ${queryId}`
          const message =
            `A change that ${made} made to ${glueTable} through Glue is not part of the table ` +
            `${tableId}. Its metadata is at ${metadataLocation}.`
          const params = { glueTable, metadataLocation, queryId: queryId ?? null }
          await events.create(nextId, id => ({
            id,
            ...tableWarning('storage.tableForeignCommit', { tableId, message, params, at: now() }),
            branchId: branchId ?? defaultBranchId,
          }))
        },
      })
    },

    async drop(table: Registered): Promise<void> {
      const name = nameOf(table)
      if (name !== undefined) await catalog.drop(name)
    },
  }
}

export type CatalogFollower = ReturnType<typeof createCatalogFollower>
