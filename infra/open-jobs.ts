import { Construct } from 'constructs'
import { NONE } from '../functions/lib/none.ts'
import type { StartOpenJobsEnv } from '../functions/start-open-jobs/work.ts'
import { allow, allowItems } from './allow.ts'
import type { FunctionBundle } from './bundle.ts'
import { extractMachineIdentity } from './extract-machine-identity.ts'
import type { ItemTable } from './item-table.ts'
import { ScheduledFunction } from './scheduled-function.ts'
import { writtenKinds } from './written-kinds.ts'

interface OpenJobsProps {
  readonly bundle: FunctionBundle
  readonly items: ItemTable
  readonly jobMachineArn: string
  readonly jobExecutionArns: string
  /** Whether the stack runs configurations: then it also ends runs whose end got lost. */
  readonly hasExtractions: boolean
}

/** Each minute, starts the jobs that were accepted but not started. */
export class OpenJobs extends Construct {
  constructor(
    scope: Construct,
    id: string,
    { bundle, items, jobMachineArn, jobExecutionArns, hasExtractions }: OpenJobsProps,
  ) {
    super(scope, id)
    const extractMachine = extractMachineIdentity()
    const start = new ScheduledFunction<StartOpenJobsEnv>(this, 'Start', {
      bundle,
      description: 'Starts jobs of the storage service that were accepted and not started',
      environment: {
        STORAGE_TABLE: items.tableName,
        JOB_MACHINE_ARN: jobMachineArn,
        EXTRACT_MACHINE_ARN: hasExtractions ? extractMachine.arn : NONE,
      },
    })
    allowItems(
      start,
      items,
      ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'DeleteItem', 'ConditionCheckItem'],
      writtenKinds['start-open-jobs'],
    )
    allow(start, ['states:StartExecution'], [jobMachineArn])
    allow(start, ['states:DescribeExecution'], [jobExecutionArns])
    if (hasExtractions) allow(start, ['states:DescribeExecution'], [`${extractMachine.executionArnPrefix}*`])
  }
}
