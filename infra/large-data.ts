import { NONE } from '../functions/lib/none.ts'
import type { RunJobEnv } from '../functions/run-job/work.ts'
import type { StackConfig } from './stack-config.ts'

/** How loads and exports are done that outgrow one function. */
export type LargeData = Pick<
  StackConfig,
  | 'singleLoadBytes'
  | 'singleMergeBytes'
  | 'loadRangeBytes'
  | 'singleExportBytes'
  | 'exportPartBytes'
  | 'partsAtOnce'
>

/** What decides whether a load is refused. */
export type LoadLimits = Pick<LargeData, 'singleLoadBytes'>

/** What each function that accepts a load needs to know. Undefined: the storage service is elsewhere. */
export const loadLimitsEnvironment = (limits: LoadLimits | undefined) => ({
  SINGLE_LOAD_BYTES: String(limits?.singleLoadBytes ?? NONE),
})

/** What `run-job` needs to know of it. */
export const largeDataEnvironment = (sizes: LargeData) =>
  ({
    ...loadLimitsEnvironment(sizes),
    SINGLE_MERGE_BYTES: String(sizes.singleMergeBytes),
    SINGLE_EXPORT_BYTES: String(sizes.singleExportBytes),
    EXPORT_PART_BYTES: String(sizes.exportPartBytes),
  }) satisfies Partial<Record<RunJobEnv, string>>
