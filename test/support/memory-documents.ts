import { setImmediate as otherWork } from 'node:timers/promises'
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import type { DocumentRequests } from '#lib/aws/document-requests.ts'
import { toAttributes } from '#lib/aws/dynamodb-request.ts'

type Stored = Record<string, AttributeValue>
type Document = Record<string, unknown>

/**
 * The requests on single documents of one test, in memory; other work comes between any two. It knows the expressions that
 * our functions write, and refuses others. A property holds it to DynamoDB's answers.
 */
export const createMemoryDocuments = (): DocumentRequests => {
  const items = new Map<string, Stored>()
  const find = (table: string, key: Document): Stored | undefined => items.get(nameOf(table, key))

  return {
    async get({ TableName, Key }) {
      await otherWork()
      const found = find(TableName, Key)
      return found && unmarshall(found)
    },

    async put({ TableName, Item, ConditionExpression, ExpressionAttributeValues = {} }) {
      const item = toStored(Item)
      await otherWork()
      const key = { id: Item['id'] }
      refuseUnless(holds(ConditionExpression, find(TableName, key), ExpressionAttributeValues))
      items.set(nameOf(TableName, key), item)
    },

    async update(request) {
      const { TableName, Key, ExpressionAttributeValues: values = {} } = request
      await otherWork()
      const found = find(TableName, Key)
      refuseUnless(holds(request.ConditionExpression, found, values))
      const item = changed(found ?? toStored(Key), request.UpdateExpression, values)
      items.set(nameOf(TableName, Key), item)
      return request.ReturnValues ? unmarshall(item) : undefined
    },
  }
}

const toStored = (document: Document): Stored => toAttributes(document) as Stored // of a document

const nameOf = (table: string, { id }: Document): string => JSON.stringify([table, id])

const refuseUnless = (isHeld: boolean): void => {
  if (!isHeld)
    throw Object.assign(new Error('The conditional request failed'), {
      name: 'ConditionalCheckFailedException',
    })
}

/** `a = :x`, `a IN (:x, :y)` and `attribute_not_exists(a)`, joined by `OR`. */
const holds = (expression: string | undefined, stored: Stored | undefined, values: Document): boolean =>
  expression === undefined ||
  expression.split(' OR ').some(term => {
    const absent = /^attribute_not_exists\((\w+)\)$/.exec(term)?.[1]
    if (absent !== undefined) return stored?.[absent] === undefined
    const [, name = '', one, list] = /^(\w+) (?:= (:\w+)|IN \((:\w+(?:, :\w+)*)\))$/.exec(term) ?? []
    const wanted = one ?? list
    if (wanted === undefined) throw unknown(term)
    return wanted.split(', ').some(value => isSame(stored?.[name], valueNamed(value, values)))
  })

/** `SET a = :x, b = :y`, `REMOVE a, b`, or one after the other. */
const changed = (stored: Stored, expression: string, values: Document): Stored => {
  const [, set, remove] = /^(?:SET (.+?))?(?:(?:^| )REMOVE (.+))?$/.exec(expression) ?? []
  if (set === undefined && remove === undefined) throw unknown(expression)
  const item = { ...stored }
  for (const assignment of set?.split(', ') ?? []) {
    const [, name, value] = /^(\w+) = (:\w+)$/.exec(assignment) ?? []
    if (name === undefined || value === undefined) throw unknown(assignment)
    item[name] = valueNamed(value, values)
  }
  for (const name of remove?.split(', ') ?? []) {
    if (!/^\w+$/.test(name)) throw unknown(name)
    delete item[name]
  }
  return item
}

const valueNamed = (name: string, values: Document): AttributeValue => {
  const value = toStored({ value: values[name] })['value']
  if (value === undefined) throw unknown(name)
  return value
}

const isSame = (one: AttributeValue | undefined, other: AttributeValue): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

const unknown = (part: string): Error => new Error(`Not known in an expression: ${part}`)
