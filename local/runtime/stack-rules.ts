import { randomUUID } from 'node:crypto'
import { EventRouter } from './events/event-router.ts'
import type { Executions } from './executions/executions.ts'
import { invokeWhenThereIsRoom } from './lambda/asynchronous.ts'
import type { Functions } from './lambda/functions.ts'
import type { Queues } from './queues/queues.ts'
import { ResourcePolicy } from './resource-policy.ts'
import { lambdaPermission, stateMachine } from './resources/compute.ts'
import { rule, type ScheduleProperties, schedule } from './resources/events.ts'
import { queue, queuePolicy } from './resources/messages.ts'
import { arn } from './resources/resource-type.ts'
import type { RolePolicies } from './role-policies.ts'
import { Scheduler } from './schedules/scheduler.ts'
import { isUnavailable, ServiceError } from './service-error.ts'
import type { Stack } from './template/stack.ts'

interface RuleServices {
  readonly executions: Executions
  readonly functions: Pick<Functions, 'has' | 'invoke'>
  readonly queues: Queues
  readonly policies: RolePolicies
  readonly log: (line: string) => void
}

/**
 * The rules of the stack. Targets are state machines, started with the rights of the target's role, and functions and
 * queues that let EventBridge in.
 */
export const eventRouter = (stack: Stack, services: RuleServices): EventRouter => {
  const { executions, functions, queues, policies, log } = services
  const machines = machineArns(stack)
  const queuePolicies = policiesOfQueues(stack)
  const invocable = new Set(
    stack
      .ofType(lambdaPermission)
      .filter(({ properties }) => properties.Principal === 'events.amazonaws.com')
      .map(({ properties }) => properties.FunctionName),
  )

  return new EventRouter({
    rules: stack.ofType(rule),
    log,
    isKnownTarget: arn => machines.has(arn) || functions.has(arn) || queuePolicies.has(arn),
    deadLetter: async (queueArn, event) => {
      await queues.send(queues.byArn(queueArn), JSON.stringify(event))
    },
    deliver: async ({ Arn, RoleArn = '' }, input, { eventId, ruleArn }) => {
      const queuePolicy = queuePolicies.get(Arn)
      if (queuePolicy) {
        const request = { service: 'events.amazonaws.com', sourceArn: ruleArn }
        if (!queuePolicy.allows({ ...request, action: 'sqs:SendMessage', resource: Arn }))
          throw new ServiceError('AccessDenied', `${ruleArn} may not send to ${Arn}`)
        await queues.send(queues.byArn(Arn), input)
      } else if (machines.has(Arn)) {
        if (!policies.isAllowed({ roleArn: RoleArn }, 'states:StartExecution', Arn))
          throw new ServiceError('AccessDeniedException', `${RoleArn} may not start ${Arn}`)
        // An event that is delivered twice starts two executions, as in the cloud.
        await executions.start(Arn, input, `${eventId.slice(0, 36)}_${randomUUID()}`)
      } else {
        if (!invocable.has(Arn))
          throw new ServiceError('AccessDeniedException', `events.amazonaws.com may not invoke ${Arn}`)
        await invokeWhenThereIsRoom(() => functions.invoke(Arn, JSON.parse(input)))
      }
    },
  })
}

/** The schedules of the stack. A target is started with the rights of the role that the schedule names. */
export const scheduler = (stack: Stack, services: RuleServices): Scheduler => {
  const { executions, functions, queues, policies, log } = services
  const machines = machineArns(stack)
  const start = async ({ Arn, RoleArn }: ScheduleProperties['Target'], input: string): Promise<void> => {
    const action = machines.has(Arn) ? 'states:StartExecution' : 'lambda:InvokeFunction'
    if (!policies.isAllowed({ roleArn: RoleArn }, action, Arn))
      throw new ServiceError(
        'AccessDeniedException',
        `${RoleArn} is not authorized to perform: ${action} on ${Arn}`,
      )
    if (machines.has(Arn)) await executions.start(Arn, input)
    else await invokeWhenThereIsRoom(() => functions.invoke(Arn, JSON.parse(input)))
  }

  return new Scheduler({
    schedules: stack.ofType(schedule).map(each => ({
      ...each,
      arn: arn('scheduler', `schedule/${each.properties.GroupName}/${each.name}`),
    })),
    log,
    isKnownTarget: arn => machines.has(arn) || functions.has(arn),
    deliver: async (target, input) => {
      try {
        await start(target, input)
      } catch (error) {
        if (!target.DeadLetterConfig || isUnavailable(error)) throw error
        await queues.send(queues.byArn(target.DeadLetterConfig.Arn), input)
        log(`${target.Arn} refused its schedule's input, which is a dead letter now: ${String(error)}`)
      }
    },
  })
}

const policiesOfQueues = (stack: Stack): ReadonlyMap<string, ResourcePolicy> => {
  const policies = stack.ofType(queuePolicy).map(({ properties }) => properties)
  return new Map(
    stack.ofType(queue).map(({ arn, ref }) => {
      const documents = policies.filter(({ Queues }) => Queues.includes(ref))
      return [arn, new ResourcePolicy(documents.map(({ PolicyDocument }) => PolicyDocument))]
    }),
  )
}

const machineArns = (stack: Stack): ReadonlySet<string> =>
  new Set(stack.ofType(stateMachine).map(({ arn }) => arn))
