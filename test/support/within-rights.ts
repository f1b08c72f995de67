import type { Host } from '#lib/cloud/host.ts'
import { type AnyExecution, executionArnOf, type NamedExecution } from '#lib/cloud/machines.ts'
import type { AssumeRole } from '#lib/cloud/roles.ts'
import type { ItemKey, ItemWrite } from '#lib/items/item-table.ts'
import { hostOver, operationsOf } from '#local/runtime/host/by-message.ts'
import type { HostFor, RightsOf } from '#local/runtime/rights.ts'
import { arn } from '#local/s3/account.ts'
import { isAllowedBy } from '#local/s3/auth/policy.ts'
import { parsePolicy } from '#local/s3/auth/policy-document.ts'

/** What an operation needs, in words of IAM. */
interface Right {
  readonly action: string
  readonly resource: string
  /** Values of condition keys, by their lower-case names. */
  readonly context?: Readonly<Record<string, readonly string[]>>
}

/** A host that does what is allowed, and refuses anything else as AWS refuses it. */
export const withinRights = (host: Host, isAllowed: (right: Right) => boolean): Host => {
  const operations = operationsOf(host)
  return hostOver(async (operation, ...given) => {
    const needed = rights[operation]?.(given)
    if (!needed) throw new Error(`No right is known for ${operation}`)
    const missing = [needed].flat().find(right => !isAllowed(right))
    if (missing)
      throw Object.assign(
        new Error(`The function is not authorized to perform ${missing.action} on ${missing.resource}`),
        { name: 'AccessDeniedException' },
      )
    return operations[operation]?.(...given) as never // of this operation
  })
}

/** Each function's host, within what its role allows. */
export const hostWithin =
  (rightsOf: RightsOf): HostFor =>
  (host, name) => {
    const statements = parsePolicy(rightsOf(name))
    return withinRights(host, ({ context = {}, ...asked }) => isAllowedBy(statements, { ...asked, context }))
  }

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
  assumeRole: ([asked]) => ({
    action: 'sts:AssumeRole',
    resource: (asked as Parameters<AssumeRole>[0]).roleArn, // as the port has it
  }),
  invoke: ([name]) => ({ action: 'lambda:InvokeFunction', resource: arn('lambda', `function:${name}`) }),
}
