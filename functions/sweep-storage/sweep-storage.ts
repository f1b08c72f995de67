import { expireTableSnapshots } from './expire-table-snapshots.ts'
import { healCatalog } from './heal-catalog.ts'
import type { SweepPage, SweepServices } from './page.ts'
import { sweepFileObjects } from './sweep-file-objects.ts'
import { sweepFiles } from './sweep-files.ts'
import type { SweepKind } from './sweep-kinds.ts'
import { sweepTableObjects } from './sweep-table-objects.ts'

interface Swept {
  kind: SweepKind
  /** What this invocation has removed. */
  swept: number
  /** Whether it came to the end. If not, the next sweep of this kind continues. */
  isWhole: boolean
}

const pageOf: Readonly<Record<SweepKind, SweepPage>> = {
  /** Expired files. */
  files: sweepFiles,
  /** Objects without a file, from unfinished uploads and exports. */
  'file-objects': sweepFileObjects,
  /** Tables whose old snapshots have expired. */
  'table-snapshots': expireTableSnapshots,
  /** Objects that no table has referred to for a day. */
  'table-objects': sweepTableObjects,
  /** Tables of the Glue Data Catalog that nobody needs any more. */
  catalog: healCatalog,
}

/**
 * Sweeps one kind, page by page, from where the sweep before stopped. It may be repeated, and stopped at any point: the
 * page that was not finished comes again. At least one page is swept, whatever the time.
 */
export const sweepStorage = async (
  kind: SweepKind,
  services: SweepServices,
  isTimeUp: () => boolean,
): Promise<Swept> => {
  let after = await services.sweeps.position(kind)
  let swept = 0
  do {
    const page = await pageOf[kind](services, after)
    swept += page.swept
    after = page.next
    await services.sweeps.keepPosition(kind, after)
  } while (after !== undefined && !isTimeUp())
  return { kind, swept, isWhole: after === undefined }
}
