import { followHead } from '#lib/distributed/follow-head.ts'
import type { GlueCatalog, MetadataFile } from '#lib/distributed/glue-catalog.ts'
import { defaultBranchId } from '../branches/branch-store.ts'
import type { NextId } from '../db/ids.ts'
import type { EventStore } from '../events/event-store.ts'
import { tableWarning } from '../events/table-warning.ts'
import type { TableObjects } from './content/table-objects.ts'

interface CatalogFollowerOptions {
  catalog: GlueCatalog
  objects: Pick<TableObjects, 'read'>
  events: EventStore
  nextId: NextId
  now: () => Date
}

/** Keeps the Glue Data Catalog at the heads of tables. A commit of somebody else becomes an event of the table. */
export const createCatalogFollower = ({ catalog, objects, events, nextId, now }: CatalogFollowerOptions) => ({
  follow: (
    { glueName, tableId }: { glueName: string; tableId: string },
    readHead: () => Promise<MetadataFile | undefined>,
  ): Promise<void> =>
    followHead({
      catalog,
      name: glueName,
      read: objects.read,
      readHead,
      onForeign: async ({ metadataLocation, queryId }) => {
        const made = queryId === undefined ? 'somebody' : `the query ${queryId}`
        await events.create(nextId, id => ({
          id,
          ...tableWarning('storage.tableForeignCommit', {
            tableId,
            message:
              `A change that ${made} made to ${catalog.database}.${glueName} through Glue is not part of the table ` +
              `${tableId}. Its metadata is at ${metadataLocation}.`,
            params: {
              glueTable: `${catalog.database}.${glueName}`,
              metadataLocation,
              queryId: queryId ?? null,
            },
            at: now(),
          }),
          branchId: defaultBranchId,
        }))
      },
    }),
  drop: (glueName: string): Promise<void> => catalog.drop(glueName),
})

export type CatalogFollower = ReturnType<typeof createCatalogFollower>
