import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { IBucket } from 'aws-cdk-lib/aws-s3'
import { type IChainable, JsonPath } from 'aws-cdk-lib/aws-stepfunctions'
import type { Construct } from 'constructs'
import type { exportPartsEnvNames } from '../functions/export-parts/env-names.ts'
import { exportPrefix } from '../functions/lib/storage/files/file-prefixes.ts'
import { allowReadingObjects, allowWritingObjects } from './allow.ts'
import type { FunctionBundle } from './bundle.ts'
import { catchAll } from './failure-path.ts'
import { forEachItem } from './for-each-item.ts'
import { functionStep } from './function-step.ts'
import { LONGEST_TIMEOUT, NodeFunction } from './node-function.ts'
import type { StackConfig } from './stack-config.ts'

/** How exports are done that outgrow one function. */
export type LargeExports = Pick<StackConfig, 'singleExportBytes' | 'exportPartBytes' | 'exportedParts'>

/** The function that does the parts of a large export. It writes slices that no file lists yet, and deletes nothing. */
export const exportPartsFunction = (
  scope: Construct,
  bundle: FunctionBundle,
  { files, tables }: { files: IBucket; tables: IBucket },
): IFunction => {
  const exportParts = new NodeFunction<(typeof exportPartsEnvNames)[number]>(scope, 'ExportParts', {
    bundle,
    description: 'Exports the parts of large tables, side by side',
    environment: { TABLES_BUCKET: tables.bucketName },
    memoryMiB: 3008, // Close to two cores, as many as DuckDB is given threads.
    scratchMiB: 10_240, // Rows that are being sorted, what spills of them, and the slices that they become.
    timeout: LONGEST_TIMEOUT,
  })
  allowReadingObjects(exportParts, tables)
  // Sorted parts, and what the steps pass to each other.
  allowWritingObjects(exportParts, tables, { prefix: 'tables/staging/' })
  allowWritingObjects(exportParts, files, { prefix: exportPrefix.prefix })
  return exportParts
}

interface ExportStepsProps {
  readonly exportParts: IFunction
  readonly exportedParts: number
  readonly failed: IChainable
  /** Runs when all slices are written. */
  readonly next: IChainable
}

/**
 * Exports the parts in `$.run.parts`, or sorts them -> cuts the order of all rows into ranges -> exports those. There are no
 * ranges where no order was asked for.
 */
export const exportSteps = (
  scope: Construct,
  { exportParts, exportedParts, failed, next }: ExportStepsProps,
): IChainable => {
  const jobId = JsonPath.numberAt('$.jobId')
  const correlationId = JsonPath.stringAt('$.run.correlationId')
  const order = functionStep(scope, 'OrderParts', {
    runs: exportParts,
    event: { step: 'order', jobId, correlationId },
    resultPath: '$.plan',
  })
  catchAll(order, failed)
  const forEach = (name: string, each: string, { items, step }: { items: string; step: string }) =>
    forEachItem(scope, {
      name,
      each,
      items,
      itemsAtOnce: exportedParts,
      shared: { jobId, correlationId },
      runs: exportParts,
      event: { step, jobId, correlationId: JsonPath.stringAt('$.correlationId') },
      failed,
    })
  return forEach('ExportParts', 'ExportPart', { items: '$.run.parts', step: 'part' })
    .next(order)
    .next(forEach('ExportRanges', 'ExportRange', { items: '$.plan.items', step: 'range' }))
    .next(next)
}
