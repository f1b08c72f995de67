import type { Measure } from '../lib/aws/create-measure.ts'
import type { MergeNotesStore } from '../lib/distributed/merge-notes.ts'
import type { GlueCatalog } from '../lib/iceberg/glue/glue-catalog.ts'
import type { StorageStores } from '../lib/storage/storage-stores.ts'
import type { TableEngine } from '../lib/table-engine/table-engine.ts'
import type { Queries } from './queries.ts'

/** Everything that the steps of a merge need. Made once per container. */
export interface MergeServices
  extends Pick<StorageStores, 'inBranch' | 'tableContents' | 'events' | 'jobs' | 'nextId'> {
  catalog: GlueCatalog
  queries: Queries
  notes: MergeNotesStore
  tableEngine: () => Promise<Pick<TableEngine, 'joinDeletes'>>
  queryTimeoutSeconds: number
  measure: Measure
  now: () => Date
}
