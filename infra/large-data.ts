import type { runJobEnvNames } from '../functions/run-job/env-names.ts'
import type { LargeExports } from './large-exports.ts'
import type { LargeLoads } from './large-loads.ts'

/** How loads and exports are done that outgrow one function. */
export type LargeData = LargeLoads & LargeExports

/** What `run-job` needs to know of it. */
export const largeDataEnvironment = (sizes: LargeData) =>
  ({
    DISTRIBUTED: String(sizes.distributed),
    SINGLE_LOAD_BYTES: String(sizes.singleLoadBytes),
    SINGLE_MERGE_BYTES: String(sizes.singleMergeBytes),
    SINGLE_EXPORT_BYTES: String(sizes.singleExportBytes),
    EXPORT_PART_BYTES: String(sizes.exportPartBytes),
  }) satisfies Partial<Record<(typeof runJobEnvNames)[number], string>>
