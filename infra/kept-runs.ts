import { Rule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets'
import { Construct } from 'constructs'
import type { KeepRunEnv } from '../functions/keep-run/work.ts'
import { allow, allowItems } from './allow.ts'
import type { FunctionBundle } from './bundle.ts'
import { extractMachineIdentity } from './extract-machine-identity.ts'
import type { ItemTable } from './item-table.ts'
import { NodeFunction } from './node-function.ts'
import { writtenKinds } from './written-kinds.ts'

interface KeptRunsProps {
  readonly bundle: FunctionBundle
  readonly items: ItemTable
}

/** Runs of configurations among the items of the storage service, where its API lists them. */
export class KeptRuns extends Construct {
  constructor(scope: Construct, id: string, { bundle, items }: KeptRunsProps) {
    super(scope, id)
    const { arn, executionArnPrefix } = extractMachineIdentity()
    const keep = new NodeFunction<KeepRunEnv>(this, 'Keep', {
      bundle,
      description: 'Keeps what a run of a configuration does among the items',
      environment: { STORAGE_TABLE: items.tableName, EXTRACT_MACHINE_ARN: arn },
    })
    allowItems(keep, items, ['GetItem', 'PutItem', 'DeleteItem'], writtenKinds['keep-run'])
    // A run whose result is too large for an event.
    allow(keep, ['states:DescribeExecution'], [`${executionArnPrefix}*`])
    new Rule(this, 'BeginsOrEnds', {
      description: 'Keeps a run of a configuration when it begins and when it ends',
      eventPattern: {
        source: ['aws.states'],
        detailType: ['Step Functions Execution Status Change'],
        detail: { stateMachineArn: [arn] },
      },
      targets: [new LambdaFunction(keep)],
    })
  }
}
