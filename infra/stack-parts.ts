import type { Stack } from 'aws-cdk-lib'
import { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2'
import { Queue } from 'aws-cdk-lib/aws-sqs'
import { StateMachine } from 'aws-cdk-lib/aws-stepfunctions'
import type { Construct } from 'constructs'
import { ItemTable } from './item-table.ts'
import { NodeFunction } from './node-function.ts'
import { OperatorAlarm } from './operator-alarm.ts'
import type { StackConfig } from './stack-config.ts'

export interface StackParts {
  readonly functions: readonly NodeFunction<string>[]
  readonly machines: readonly StateMachine[]
  readonly queues: readonly Queue[]
  readonly tables: readonly ItemTable[]
  readonly apis: readonly HttpApi[]
  readonly alarms: readonly OperatorAlarm[]
  /** Whether it has a storage service, which has jobs. */
  readonly hasJobs: boolean
  /** Whether it has imports, exports and extractions. */
  readonly hasFlows: boolean
}

/** What the stack has so far, however deep. */
export const partsOf = (stack: Stack, shape: StackConfig['shape']): StackParts => ({
  functions: allOf(stack, NodeFunction),
  machines: allOf(stack, StateMachine),
  queues: allOf(stack, Queue),
  tables: allOf(stack, ItemTable),
  apis: allOf(stack, HttpApi),
  alarms: allOf(stack, OperatorAlarm),
  hasJobs: shape !== 'functions',
  hasFlows: shape !== 'storage',
})

const allOf = <Part extends Construct>(
  stack: Stack,
  // Constructors differ in what they take, which does not matter here.
  kind: abstract new (...given: never[]) => Part,
): Part[] => stack.node.findAll().filter((each): each is Part => each instanceof kind)
