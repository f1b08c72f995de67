import { expireTableSnapshots } from './expire-table-snapshots.ts'
import { healCatalog } from './heal-catalog.ts'
import type { SweepServices } from './services.ts'
import { sweepFileObjects } from './sweep-file-objects.ts'
import { sweepFiles } from './sweep-files.ts'
import { sweepTableObjects } from './sweep-table-objects.ts'

interface Swept {
  /** Expired files. */
  expiredFiles: number
  /** Objects without a file, from unfinished uploads and exports. */
  fileObjects: number
  /** Tables whose old snapshots have expired. */
  tablesExpired: number
  /** Objects that no table has referred to for a day. */
  tableObjects: number
  /** Tables of the Glue Data Catalog that nobody needs any more. */
  catalogTables: number
}

/** One sweep. It may be repeated, and stopped at any point: the next one finds the rest. */
export const sweepStorage = async (services: SweepServices): Promise<Swept> => ({
  expiredFiles: await sweepFiles(services),
  fileObjects: await sweepFileObjects(services),
  tablesExpired: await expireTableSnapshots(services),
  tableObjects: await sweepTableObjects(services),
  catalogTables: await healCatalog(services),
})
