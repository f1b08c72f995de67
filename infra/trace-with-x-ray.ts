import { Aspects, type Stack } from 'aws-cdk-lib'
import { CfnFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import { CfnStateMachine, StateMachine } from 'aws-cdk-lib/aws-stepfunctions'
import { allow } from './allow.ts'

/** Sending traces, and asking how many to send. */
const ACTIONS = [
  'xray:PutTraceSegments',
  'xray:PutTelemetryRecords',
  'xray:GetSamplingRules',
  'xray:GetSamplingTargets',
]

/**
 * The one wildcard that no other right of the stack has: traces have no resources (Service Authorization Reference, "Actions,
 * resources, and condition keys for AWS X-Ray").
 */
const ALL_TRACES = '*'

/** Each execution of a state machine, and each invocation, becomes part of a trace. Costs by the trace. */
export const traceWithXRay = (stack: Stack): void =>
  Aspects.of(stack).add({
    visit: node => {
      if (node instanceof CfnFunction) node.tracingConfig = { mode: 'Active' }
      if (node instanceof CfnStateMachine) node.tracingConfiguration = { enabled: true }
      if (node instanceof LambdaFunction || node instanceof StateMachine) allow(node, ACTIONS, [ALL_TRACES])
    },
  })
