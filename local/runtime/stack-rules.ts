import { randomUUID } from 'node:crypto'
import type { RolePolicies } from './control/role-policies.ts'
import { ServiceError } from './control/service-error.ts'
import { EventRouter } from './events/event-router.ts'
import type { Executions } from './executions/executions.ts'
import type { Functions } from './lambda/functions.ts'
import type { Queues } from './queues/queues.ts'
import { lambdaPermission } from './resources/function.ts'
import { rule } from './resources/rule.ts'
import { stateMachine } from './resources/state-machine.ts'
import type { Stack } from './template/stack.ts'

export interface RuleServices {
  readonly executions: Executions
  readonly functions: Functions
  readonly queues: Queues
  readonly policies: RolePolicies
  readonly log: (line: string) => void
}

/** The rules of the stack. Their targets are state machines, in the rights of the target's role, and functions. */
export const eventRouter = (stack: Stack, services: RuleServices): EventRouter => {
  const { executions, functions, queues, policies, log } = services
  const machines = new Set(stack.ofType(stateMachine).map(({ arn }) => arn))
  const invocable = new Set(
    stack
      .ofType(lambdaPermission)
      .filter(({ properties }) => properties.Principal === 'events.amazonaws.com')
      .map(({ properties }) => properties.FunctionName),
  )

  return new EventRouter({
    rules: stack.ofType(rule),
    log,
    isKnownTarget: arn => machines.has(arn) || functions.has(arn),
    deadLetter: async (queueArn, event) => {
      await queues.send(queues.byArn(queueArn), { body: JSON.stringify(event) })
    },
    deliver: async ({ Arn, RoleArn = '' }, input, eventId) => {
      if (machines.has(Arn)) {
        if (!policies.isAllowed({ roleArn: RoleArn }, 'states:StartExecution', Arn))
          throw new ServiceError('AccessDeniedException', `${RoleArn} may not start ${Arn}`)
        // One event that is delivered twice starts two executions, as in the cloud.
        await executions.start(Arn, input, `${eventId.slice(0, 36)}_${randomUUID()}`)
      } else {
        if (!invocable.has(Arn))
          throw new ServiceError('AccessDeniedException', `events.amazonaws.com may not invoke ${Arn}`)
        await functions.invoke(Arn, JSON.parse(input))
      }
    },
  })
}
