import { Aws } from 'aws-cdk-lib'

interface ExtractMachineIdentity {
  readonly name: string
  readonly arn: string
  /** The ARN of an execution without its name. */
  readonly executionArnPrefix: string
}

/**
 * The machine has a fixed name. Its functions name the machine in their rights and the machine names its functions;
 * CloudFormation cannot make two resources that each need the other's generated name.
 */
export const extractMachineIdentity = (): ExtractMachineIdentity => {
  const name = `${Aws.STACK_NAME}-extract`
  const states = `arn:${Aws.PARTITION}:states:${Aws.REGION}:${Aws.ACCOUNT_ID}`
  return { name, arn: `${states}:stateMachine:${name}`, executionArnPrefix: `${states}:execution:${name}:` }
}

/** Of whoever shows runs and cancels them. */
export const lookAndStop = ['states:DescribeExecution', 'states:StopExecution']
