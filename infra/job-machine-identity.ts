import { Aws } from 'aws-cdk-lib'

/**
 * The machine has a fixed name. `run-job` starts executions of the machine that runs it, and CloudFormation cannot make
 * two resources that each need the other's generated name.
 */
export const jobMachineIdentity = () => {
  const jobMachineName = `${Aws.STACK_NAME}-jobs`
  const states = `arn:${Aws.PARTITION}:states:${Aws.REGION}:${Aws.ACCOUNT_ID}`
  return {
    jobMachineName,
    jobMachineArn: `${states}:stateMachine:${jobMachineName}`,
    jobExecutionArns: `${states}:execution:${jobMachineName}:job-*`,
  }
}
