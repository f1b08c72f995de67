import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { IBucket } from 'aws-cdk-lib/aws-s3'
import { Construct } from 'constructs'
import { exportPrefix } from '../functions/lib/storage/files/file-prefixes.ts'
import type { SplitWorkEnv } from '../functions/split-work/work.ts'
import { allowReadingObjects, allowWritingObjects } from './allow.ts'
import type { FunctionBundle } from './bundle.ts'
import { NodeFunction } from './node-function.ts'
import type { WorkSizes } from './work-sizes.ts'

interface LargeWorkProps extends Pick<WorkSizes, 'loadRangeBytes'> {
  readonly numberRounding: string
  readonly bundle: FunctionBundle
  readonly files: IBucket
  readonly tables: IBucket
}

/**
 * The function that does the pieces of loads and exports which outgrow one function, side by side. It writes objects that no table
 * and no file has yet, and deletes nothing.
 */
export class LargeWork extends Construct {
  readonly splitWork: IFunction

  constructor(scope: Construct, id: string, props: LargeWorkProps) {
    super(scope, id)
    const { bundle, files, tables, loadRangeBytes, numberRounding } = props
    const splitWork = new NodeFunction<SplitWorkEnv>(this, 'SplitWork', {
      bundle,
      description: 'Does the pieces of large loads and exports, side by side',
      environment: {
        TABLES_BUCKET: tables.bucketName,
        LOAD_RANGE_BYTES: String(loadRangeBytes),
        NUMBER_ROUNDING: numberRounding,
      },
    })
    allowReadingObjects(splitWork, files)
    allowReadingObjects(splitWork, tables)
    // Staged rows, and what the steps pass to each other.
    allowWritingObjects(splitWork, tables, { prefix: 'tables/' })
    allowWritingObjects(splitWork, files, { prefix: exportPrefix.prefix })
    this.splitWork = splitWork
  }
}
