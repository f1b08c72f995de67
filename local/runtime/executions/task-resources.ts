import { z } from 'zod'
import { InvocationError } from '../lambda/function-error.ts'
import type { Queues } from '../queues/queues.ts'
import type { RolePolicies } from '../role-policies.ts'
import { ServiceError } from '../service-error.ts'
import { untilThereIsRoom } from '../until-there-is-room.ts'
import type { TaskContext } from './run-machine.ts'

interface TaskServices {
  readonly functions: { has(arn: string): boolean; invoke(arn: string, event: unknown): Promise<unknown> }
  readonly queues: Pick<Queues, 'send' | 'byUrl'>
  readonly policies: RolePolicies
  readonly log: (line: string) => void
  /** How long a task waits on a full disk before it is tried again. */
  readonly fullDiskPauseMs?: number
}

type Task = (input: unknown, context: TaskContext, services: TaskServices) => Promise<unknown>

const isFunctionArn = (resource: string) => /^arn:[^:]+:lambda:[^:]+:\d+:function:[^:]+$/.test(resource)

/** Whether a Task's `Resource` can be run here. */
export const isKnownTask = (resource: string): boolean => isFunctionArn(resource) || resource in integrations

/**
 * Runs one Task in the rights of its machine's role. Rejects with an error whose name Step Functions matches.
 *
 * On a full disk it waits: the machine's own retries are few, and would all be used up before somebody makes room.
 */
export const runTask = (
  resource: string,
  input: unknown,
  context: TaskContext,
  services: TaskServices,
): Promise<unknown> =>
  untilThereIsRoom(() => tryTask(resource, input, context, services), {
    onWait: error =>
      services.log(
        `${context.executionArn.split(':').at(-1)}: the disk is full, waiting until there is room: ${messageOf(error)}`,
      ),
    pauseMs: services.fullDiskPauseMs,
  })

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const tryTask = async (
  resource: string,
  input: unknown,
  context: TaskContext,
  services: TaskServices,
): Promise<unknown> => {
  if (isFunctionArn(resource)) return invokeFunction(resource, input, context, services)
  const integration = integrations[resource]
  if (!integration) throw new Error(`The resource ${resource} should have been refused at the start`)
  return integration(input, context, services)
}

const lambdaParameters = z.strictObject({
  FunctionName: z.string(),
  Payload: z.unknown().optional(),
  InvocationType: z.literal('RequestResponse').optional(),
})
const queueParameters = z.strictObject({
  QueueUrl: z.string(),
  // An object is sent as its JSON text.
  MessageBody: z.union([z.string(), z.record(z.string(), z.unknown()), z.array(z.unknown())]),
})

const integrations: Readonly<Record<string, Task>> = {
  'arn:aws:states:::lambda:invoke': async (input, context, services) => {
    const { FunctionName, Payload = {} } = read(lambdaParameters, input)
    const arn = FunctionName.replace(/:\$LATEST$/, '')
    return {
      ExecutedVersion: '$LATEST',
      Payload: await invokeFunction(arn, Payload, context, services),
      StatusCode: 200,
    }
  },

  'arn:aws:states:::sqs:sendMessage': async (input, context, { queues, policies }) => {
    const { QueueUrl, MessageBody } = read(queueParameters, input)
    const queue = queues.byUrl(QueueUrl)
    checkRight(policies, context, 'sqs:SendMessage', queue.arn, 'SQS.AccessDeniedException')
    const body = typeof MessageBody === 'string' ? MessageBody : JSON.stringify(MessageBody)
    const { messageId } = await queues.send(queue, body)
    return { MessageId: messageId }
  },
}

const invokeFunction = async (
  arn: string,
  input: unknown,
  context: TaskContext,
  { functions, policies }: TaskServices,
): Promise<unknown> => {
  checkRight(policies, context, 'lambda:InvokeFunction', arn, 'Lambda.AWSLambdaException')
  try {
    return await functions.invoke(arn, input)
  } catch (error) {
    if (!(error instanceof InvocationError)) throw error
    // The cause of a failed function is Lambda's whole report as JSON text.
    throw Object.assign(named(error.name, JSON.stringify(error.details)), { cause: error })
  }
}

const checkRight = (
  policies: RolePolicies,
  { stateMachine }: TaskContext,
  action: string,
  resource: string,
  errorName: string,
) => {
  if (policies.isAllowed({ roleArn: stateMachine.roleArn }, action, resource)) return
  throw named(
    errorName,
    `${stateMachine.roleArn} is not authorized to perform: ${action} on resource: ${resource}`,
  )
}

const read = <Input>(schema: z.ZodType<Input>, input: unknown): Input => {
  const parsed = schema.safeParse(input)
  if (parsed.success) return parsed.data
  throw named('States.Runtime', `The parameters cannot be used here: ${z.prettifyError(parsed.error)}`)
}

const named = (name: string, message: string) => new ServiceError(name, message)
