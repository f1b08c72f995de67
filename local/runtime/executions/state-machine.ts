import type { Definition } from './definition.ts'

/** One state machine of the template, its definition checked. */
export interface StateMachine {
  readonly arn: string
  readonly name: string
  readonly definition: Definition
  readonly roleArn: string
}

/** Step Functions quotas: input or output of a state or an execution. */
export const largestDataBytes = 256 * 1024
