import { readDefinition, type StateMachine } from './executions/definition.ts'
import { isKnownTask } from './executions/task-resources.ts'
import { stateMachine } from './resources/state-machine.ts'
import type { Stack } from './template/stack.ts'

/** The state machines of the stack, their definitions checked. */
export const stateMachines = (stack: Stack): StateMachine[] =>
  stack.ofType(stateMachine).map(({ arn, name, logicalId, properties }) => ({
    arn,
    name,
    definition: readDefinition(
      properties.DefinitionString,
      `${logicalId} (${stateMachine.type})`,
      isKnownTask,
    ),
    roleArn: properties.RoleArn,
  }))
