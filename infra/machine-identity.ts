import { Aws } from 'aws-cdk-lib'

const states = (resource: string): string =>
  `arn:${Aws.PARTITION}:states:${Aws.REGION}:${Aws.ACCOUNT_ID}:${resource}`

/** The ARNs of a machine's executions by their names. `names`: `*` in them is any text. */
export const executionsOf = (machineName: string, names = '*'): string =>
  states(`execution:${machineName}:${names}`)

/** Of the children of its distributed Maps, whose names Step Functions makes. */
export const childrenOf = (machineName: string): string => states(`execution:${machineName}/*`)

/**
 * A machine with a fixed name. Its functions name the machine in their rights and the machine names its functions;
 * CloudFormation cannot make two resources that each need the other's generated name.
 */
export const machineIdentity = (kind: 'extract' | 'jobs'): { name: string; arn: string } => {
  const name = `${Aws.STACK_NAME}-${kind}`
  return { name, arn: states(`stateMachine:${name}`) }
}
