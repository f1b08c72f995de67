import { Aws } from 'aws-cdk-lib'

export interface ExtractMachineIdentity {
  readonly name: string
  readonly arn: string
  /** Comes before an execution's name in its ARN. */
  readonly executionArnPrefix: string
}

/**
 * The machine's name is chosen, not generated: the functions that it runs look after its executions, and
 * CloudFormation cannot make two resources that each wait for the other's name.
 */
export const extractMachineIdentity = (): ExtractMachineIdentity => {
  const name = `${Aws.STACK_NAME}-extract`
  const states = `arn:${Aws.PARTITION}:states:${Aws.REGION}:${Aws.ACCOUNT_ID}`
  return { name, arn: `${states}:stateMachine:${name}`, executionArnPrefix: `${states}:execution:${name}:` }
}
