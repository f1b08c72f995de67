import { Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions'
import { Construct } from 'constructs'
import type { KeepDeadLetterEnv } from '../functions/keep-dead-letter/work.ts'
import { allowItems } from './allow.ts'
import type { FunctionBundle } from './bundle.ts'
import type { ItemTable } from './item-table.ts'
import { NodeFunction } from './node-function.ts'
import { writtenKinds } from './written-kinds.ts'

interface KeptDeadLettersProps {
  readonly bundle: FunctionBundle
  readonly items: ItemTable
}

/** Dead letters among the items of the storage service, where its API lists, redrives and deletes them. */
export class KeptDeadLetters extends Construct {
  /** Keeps one; event: `functions/keep-dead-letter/event.ts`. */
  readonly keep: IFunction

  constructor(scope: Construct, id: string, { bundle, items }: KeptDeadLettersProps) {
    super(scope, id)
    const keep = new NodeFunction<KeepDeadLetterEnv>(this, 'Keep', {
      bundle,
      description: 'Keeps the dead letter of an execution that failed',
      environment: { STORAGE_TABLE: items.tableName },
    })
    allowItems(keep, items, ['GetItem', 'PutItem', 'DeleteItem'], writtenKinds['keep-dead-letter'])
    this.keep = keep
  }
}

/**
 * Lets the storage API start executions of these machines again. It is a policy of its own: the function's would depend
 * on the machines, whose functions depend on the API's address.
 */
export const allowRedrive = (
  scope: Construct,
  { storageApi, machines }: { storageApi: IFunction; machines: readonly StateMachine[] },
): void => {
  const policy = new Policy(scope, 'AllowRedrive', {
    statements: [
      new PolicyStatement({
        actions: ['states:StartExecution'],
        resources: machines.map(({ stateMachineArn }) => stateMachineArn),
      }),
    ],
  })
  storageApi.role?.attachInlinePolicy(policy)
}
