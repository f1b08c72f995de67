import { Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions'
import type { Construct } from 'constructs'

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
