import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { IBucket } from 'aws-cdk-lib/aws-s3'
import { type IChainable, JsonPath, Map as MapState } from 'aws-cdk-lib/aws-stepfunctions'
import type { LambdaInvoke } from 'aws-cdk-lib/aws-stepfunctions-tasks'
import { Construct } from 'constructs'
import { exportPrefix } from '../functions/lib/storage/files/file-prefixes.ts'
import type { SplitWorkEnv } from '../functions/split-work/work.ts'
import { allowReadingObjects, allowWritingObjects } from './allow.ts'
import type { FunctionBundle } from './bundle.ts'
import { catchAll } from './failure-path.ts'
import { functionStep } from './function-step.ts'
import type { LargeData } from './large-data.ts'
import { LONGEST_TIMEOUT, NodeFunction } from './node-function.ts'

interface LargeWorkProps extends Pick<LargeData, 'loadRangeBytes' | 'stagedRanges' | 'exportedParts'> {
  readonly bundle: FunctionBundle
  readonly files: IBucket
  readonly tables: IBucket
}

interface Between {
  readonly failed: IChainable
  /** Runs when all steps are done. */
  readonly next: IChainable
}

/**
 * Loads and exports that outgrow one function: the function that does their pieces side by side, and the states of the job
 * machine that call it. It writes objects that no table and no file has yet, and deletes nothing.
 */
export class LargeWork extends Construct {
  readonly #props: LargeWorkProps
  readonly #function: IFunction

  constructor(scope: Construct, id: string, props: LargeWorkProps) {
    super(scope, id)
    const { bundle, files, tables, loadRangeBytes } = props
    const splitWork = new NodeFunction<SplitWorkEnv>(this, 'SplitWork', {
      bundle,
      description: 'Does the pieces of large loads and exports, side by side',
      environment: { TABLES_BUCKET: tables.bucketName, LOAD_RANGE_BYTES: String(loadRangeBytes) },
      memoryMiB: 3008, // Close to two cores, as many as DuckDB is given threads.
      scratchMiB: 10_240, // A slice of Parquet with its text; rows that are being sorted by a key, and what spills of them.
      timeout: LONGEST_TIMEOUT,
    })
    allowReadingObjects(splitWork, files)
    allowReadingObjects(splitWork, tables)
    // Staged rows, and what the steps pass to each other.
    allowWritingObjects(splitWork, tables, { prefix: 'tables/' })
    allowWritingObjects(splitWork, files, { prefix: exportPrefix.prefix })
    this.#props = props
    this.#function = splitWork
  }

  /**
   * Opens the files of a load -> uncompresses what is compressed -> cuts -> scans ranges -> picks the truth -> stages them.
   * Each of the three plans answers with the numbers of the items that are done side by side. The load is in `$.run.load`.
   */
  loadSteps(scope: Construct, { failed, next }: Between): IChainable {
    const event = { load: JsonPath.objectAt('$.run.load') }
    const plan = (name: string, step: string) =>
      this.#plan(scope, { name, event: { step, ...event }, failed })
    const forEach = (name: string, each: string, step: string) =>
      this.#forEach(scope, {
        name,
        each,
        items: '$.plan.items',
        itemsAtOnce: this.#props.stagedRanges,
        shared: event,
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

  /** Exports the parts in `$.run.parts`. */
  exportSteps(scope: Construct, { failed, next }: Between): IChainable {
    const jobId = JsonPath.numberAt('$.jobId')
    return this.#forEach(scope, {
      name: 'ExportParts',
      each: 'ExportPart',
      items: '$.run.parts',
      itemsAtOnce: this.#props.exportedParts,
      shared: { jobId, correlationId: JsonPath.stringAt('$.run.correlationId') },
      event: { step: 'part', jobId, correlationId: JsonPath.stringAt('$.correlationId') },
      failed,
    }).next(next)
  }

  #plan(
    scope: Construct,
    { name, event, failed }: { name: string; event: Record<string, unknown>; failed: IChainable },
  ): LambdaInvoke {
    const task = functionStep(scope, name, { runs: this.#function, event, resultPath: '$.plan' })
    catchAll(task, failed)
    return task
  }

  #forEach(scope: Construct, props: Omit<Parameters<typeof forEachItem>[1], 'runs'>): MapState {
    return forEachItem(scope, { ...props, runs: this.#function })
  }
}

interface ForEachItemProps {
  readonly name: string
  /** Name of the state of one item. */
  readonly each: string
  /** Path of the numbers. */
  readonly items: string
  readonly itemsAtOnce: number
  /** What the state of each item begins with, beside `item`. */
  readonly shared: Readonly<Record<string, unknown>>
  readonly runs: IFunction
  /** The function's event, with values from the item's state. It gets `item` too. */
  readonly event: Readonly<Record<string, unknown>>
  readonly failed: IChainable
}

/** Runs a function for each of some numbers, side by side. Results are left where the function puts them. */
const forEachItem = (scope: Construct, props: ForEachItemProps): MapState => {
  const { name, each, items, itemsAtOnce, shared, runs, event, failed } = props
  const map = new MapState(scope, name, {
    itemsPath: items,
    itemSelector: { ...shared, item: JsonPath.numberAt('$$.Map.Item.Value') },
    maxConcurrency: itemsAtOnce,
    resultPath: JsonPath.DISCARD,
  }).itemProcessor(
    functionStep(scope, each, {
      runs,
      event: { ...event, item: JsonPath.numberAt('$.item') },
      resultPath: JsonPath.DISCARD,
    }),
  )
  catchAll(map, failed)
  return map
}
