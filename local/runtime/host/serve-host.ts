import type { MessagePort } from 'node:worker_threads'
import type { Host } from '#lib/cloud/host.ts'
import { type AnyExecution, executionArnOf, type NamedExecution } from '#lib/cloud/machines.ts'
import type { AssumeRole } from '#lib/cloud/roles.ts'
import type { ItemKey, ItemStore, ItemWrite } from '#lib/items/item-table.ts'
import { arn } from '../account.ts'
import { ServiceError } from '../service-error.ts'
import { type Answer, answerThread } from './by-message.ts'

/** What an operation needs, in words of IAM. */
interface Right {
  readonly action: string
  readonly resource: string
  /** Values of condition keys, by their lower-case names. */
  readonly context?: Readonly<Record<string, readonly string[]>>
}

/** Whether the function's role allows it. */
type IsAllowed = (right: Right) => boolean

/** Answers a thread within the rights of its role. What it may not do is refused as AWS refuses it. */
export const serveHost = (port: MessagePort, host: Promise<Host>, isAllowed: IsAllowed): void => {
  const runs = host.then(operationsOf)
  const answer: Answer = async (operation, given) => {
    const run = (await runs)[operation]
    const needed = rights[operation]?.(given)
    if (!run || !needed) throw new Error(`The host knows no ${operation}`)
    const missing = [needed].flat().find(right => !isAllowed(right))
    if (missing)
      throw new ServiceError(
        'AccessDeniedException',
        `The function is not authorized to perform ${missing.action} on ${missing.resource}`,
      )
    return run(...given)
  }
  answerThread(port, answer)
}

type Run = (...given: readonly unknown[]) => Promise<unknown>

const operationsOf = ({
  items,
  machines,
  keys,
  readSecret,
  invoke,
  assumeRole,
}: Host): Readonly<Record<string, Run>> => {
  const ofItems = itemOperations.map(name => [
    `items.${name}`,
    (table: unknown, ...given: readonly unknown[]) => (items(String(table))[name] as Run)(...given),
  ])
  const { start, describe, stop, list } = machines
  const others = {
    'machines.start': start,
    'machines.describe': describe,
    'machines.stop': stop,
    'machines.list': list,
    'keys.encrypt': keys.encrypt.bind(keys),
    'keys.dataKey': keys.dataKey.bind(keys),
    'keys.decrypt': keys.decrypt.bind(keys),
    readSecret,
    invoke,
    assumeRole,
  }
  return { ...Object.fromEntries(ofItems), ...others } as Readonly<Record<string, Run>> // What hostOver sends is what they take.
}

const itemOperations: readonly (keyof ItemStore)[] = [
  ...(['get', 'getMany', 'getTogether', 'page'] as const),
  ...(['swap', 'putAll', 'update', 'transact'] as const),
]

type RightOf = (given: readonly unknown[]) => Right | Right[]

const onItems =
  (action: string) =>
  ([table, keys]: readonly unknown[]): Right => ({
    action: `dynamodb:${action}`,
    resource: arn('dynamodb', `table/${table}`),
    context: { 'dynamodb:leadingkeys': partitionsOf(keys) },
  })

/** The partitions that an operation names. */
export const partitionsOf = (keys: unknown): string[] =>
  typeof keys === 'string' ? [keys] : [keys as ItemKey | ItemKey[]].flat().map(({ pk }) => pk) // as a store has them

const on =
  (action: string): RightOf =>
  ([resource]) => ({ action, resource: String(resource) })

const onRole: RightOf = ([asked]) => ({
  action: 'sts:AssumeRole',
  resource: (asked as Parameters<AssumeRole>[0]).roleArn, // as the port has it
})

const onExecution =
  (action: string): RightOf =>
  ([execution]) => ({ action, resource: executionArnOf(execution as AnyExecution) }) // as the port has it

/** A transaction needs the right of each of its writes (Developer Guide, "Transactions", "IAM for transactions"). */
const rightOfWrite = {
  put: 'PutItem',
  update: 'UpdateItem',
  delete: 'DeleteItem',
  check: 'ConditionCheckItem',
}

const rights: Readonly<Record<string, RightOf>> = {
  'items.get': onItems('GetItem'),
  'items.getMany': onItems('BatchGetItem'),
  'items.swap': given => onItems(given[2] === undefined ? 'DeleteItem' : 'PutItem')(given),
  'items.putAll': onItems('BatchWriteItem'),
  'items.update': onItems('UpdateItem'),
  'items.transact': ([table, writes]) =>
    (writes as readonly ItemWrite[]).map(({ action, key }) => onItems(rightOfWrite[action])([table, key])),
  'items.getTogether': onItems('GetItem'),
  'items.page': onItems('Query'),
  'machines.start': ([execution]) => ({
    action: 'states:StartExecution',
    resource: (execution as NamedExecution).machineArn, // as the port has it
  }),
  'machines.describe': onExecution('states:DescribeExecution'),
  'machines.stop': onExecution('states:StopExecution'),
  'machines.list': on('states:ListExecutions'),
  'keys.encrypt': on('kms:Encrypt'),
  'keys.dataKey': on('kms:GenerateDataKey'),
  'keys.decrypt': on('kms:Decrypt'),
  readSecret: on('secretsmanager:GetSecretValue'),
  assumeRole: onRole,
  invoke: ([name]) => ({ action: 'lambda:InvokeFunction', resource: arn('lambda', `function:${name}`) }),
}
