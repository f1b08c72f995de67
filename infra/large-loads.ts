import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { IBucket } from 'aws-cdk-lib/aws-s3'
import { type IChainable, JsonPath } from 'aws-cdk-lib/aws-stepfunctions'
import type { Construct } from 'constructs'
import type { stageLoadEnvNames } from '../functions/stage-load/env-names.ts'
import { allowReadingObjects, allowWritingObjects } from './allow.ts'
import type { FunctionBundle } from './bundle.ts'
import { catchAll } from './failure-path.ts'
import { forEachItem } from './for-each-item.ts'
import { functionStep } from './function-step.ts'
import { LONGEST_TIMEOUT, NodeFunction } from './node-function.ts'
import type { StackConfig } from './stack-config.ts'

/** How loads are done that outgrow one function. */
export type LargeLoads = Pick<
  StackConfig,
  'distributed' | 'singleLoadBytes' | 'singleMergeBytes' | 'loadRangeBytes' | 'stagedRanges'
>

/** The function that does the parts of a large load. It writes objects that no table has yet, and deletes nothing. */
export const stageLoadFunction = (
  scope: Construct,
  bundle: FunctionBundle,
  { files, tables, loadRangeBytes }: { files: IBucket; tables: IBucket; loadRangeBytes: number },
): IFunction => {
  const stageLoad = new NodeFunction<(typeof stageLoadEnvNames)[number]>(scope, 'StageLoad', {
    bundle,
    description: 'Scans and stages the parts of large loads, side by side',
    environment: { TABLES_BUCKET: tables.bucketName, LOAD_RANGE_BYTES: String(loadRangeBytes) },
    memoryMiB: 3008, // Close to two cores, as many as DuckDB is given threads.
    scratchMiB: 2048, // The chunks that are being staged; finished files are uploaded and removed.
    timeout: LONGEST_TIMEOUT,
  })
  allowReadingObjects(stageLoad, files)
  allowReadingObjects(stageLoad, tables)
  allowWritingObjects(stageLoad, tables, { prefix: 'tables/' })
  return stageLoad
}

interface StagingProps {
  readonly stageLoad: IFunction
  readonly stagedRanges: number
  readonly failed: IChainable
  /** Runs when all rows are staged. */
  readonly next: IChainable
}

/**
 * Opens the files of a load -> uncompresses what is compressed -> cuts -> scans ranges -> picks the truth -> stages them.
 * Each of the three plans answers with the numbers of the items that are done side by side. The load is in `$.run.load`.
 */
export const stagingSteps = (
  scope: Construct,
  { stageLoad, stagedRanges, failed, next }: StagingProps,
): IChainable => {
  const load = JsonPath.objectAt('$.run.load')
  const plan = (name: string, step: string) => {
    const task = functionStep(scope, name, { runs: stageLoad, event: { step, load }, resultPath: '$.plan' })
    catchAll(task, failed)
    return task
  }
  const forEach = (name: string, each: string, step: string) =>
    forEachItem(scope, {
      name,
      each,
      items: '$.plan.items',
      itemsAtOnce: stagedRanges,
      shared: { load },
      runs: stageLoad,
      event: { step, load: JsonPath.objectAt('$.load') },
      failed,
    })
  return plan('OpenSlices', 'open')
    .next(forEach('UncompressSlices', 'UncompressGroup', 'uncompress'))
    .next(plan('CutFiles', 'cut'))
    .next(forEach('ScanRanges', 'ScanGroup', 'scan'))
    .next(plan('FoldScans', 'fold'))
    .next(forEach('StageRanges', 'StageGroup', 'stage'))
    .next(next)
}
