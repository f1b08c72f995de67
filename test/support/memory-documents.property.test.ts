import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createDocumentRequests, type DocumentRequests } from '#lib/aws/document-requests.ts'
import { startDocumentDatabase } from './document-database.ts'
import { createMemoryDocuments } from './memory-documents.ts'
import { untilEnd } from './until-end.ts'

/*
 * The records of the import hook are in memory in most tests. What they show holds for DynamoDB as far as both give the
 * same answers to the expressions that the hook writes.
 */

const database = await untilEnd(startDocumentDatabase())
const dynamo = createDocumentRequests(database.settings)

/** The hook compares nothing else. */
const plain = fc.constantFrom('x', 'y', 1, 1.5)
const value = fc.oneof(plain, fc.constantFrom<unknown>('', true, null, [], [1, 'x'], { a: { b: 1 } }))
const name = fc.constantFrom('turnOwner', 'part1', 'expiresAt')
const values = fc.record({ ':one': plain, ':other': plain, ':thing': value })
const condition = fc.oneof(
  name.map(attribute => `attribute_not_exists(${attribute})`),
  name.map(attribute => `${attribute} = :one`),
  name.map(attribute => `attribute_not_exists(${attribute}) OR ${attribute} IN (:one, :other)`),
)
const change = fc.oneof(
  fc.constant('SET turnOwner = :one, part1 = :thing'),
  fc.constant('SET part1 = :thing REMOVE turnOwner, expiresAt'),
  fc.constant('REMOVE turnOwner, part1'),
  name.map(attribute => `SET ${attribute} = :one`),
)
const id = fc.constantFrom('a', 'b')

type Call = (documents: DocumentRequests, table: string) => Promise<unknown>

/** Values that an expression does not name are refused. */
const named = (given: Record<string, unknown>, ...expressions: readonly (string | undefined)[]) => {
  const used = Object.entries(given).filter(([of]) => expressions.join(' ').includes(of))
  return used.length > 0 ? { ExpressionAttributeValues: Object.fromEntries(used) } : {}
}

const call: fc.Arbitrary<Call> = fc.oneof(
  id.map(
    (of): Call =>
      (documents, TableName) =>
        documents.get({ TableName, Key: { id: of }, ConsistentRead: true }),
  ),
  fc.record({ of: id, when: fc.option(condition), given: values, owner: value }).map(
    ({ of, when, given, owner }): Call =>
      (documents, TableName) =>
        documents.put({
          TableName,
          Item: { id: of, turnOwner: owner, gone: undefined },
          ...(when && { ConditionExpression: when, ...named(given, when) }),
        }),
  ),
  fc.record({ of: id, when: fc.option(condition), how: change, given: values, isAll: fc.boolean() }).map(
    ({ of, when, how, given, isAll }): Call =>
      (documents, TableName) =>
        documents.update({
          TableName,
          Key: { id: of },
          UpdateExpression: how,
          ...(when && { ConditionExpression: when }),
          ...named(given, how, when ?? undefined),
          ...(isAll && { ReturnValues: 'ALL_NEW' }),
        }),
  ),
)

const outcome = (given: Call, documents: DocumentRequests, table: string): Promise<unknown> =>
  given(documents, table).catch((error: Error) => error.name)

it('gives what DynamoDB gives to the same requests', async () => {
  let tables = 0
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 5, maxLength: 25 }), async calls => {
      const memory = createMemoryDocuments()
      const table = await database.createTable(`documents${++tables}`)
      for (const given of calls)
        expect(await outcome(given, memory, table)).toEqual(await outcome(given, dynamo, table))
    }),
    { numRuns: 30 },
  )
})

it('refuses an expression that it does not know', async () => {
  const memory = createMemoryDocuments()
  const place = { TableName: 't', Key: { id: 'a' } }
  await expect(memory.update({ ...place, UpdateExpression: 'ADD a :one' })).rejects.toThrow('Not known')
  const when = { ConditionExpression: 'size(a) > :one', ExpressionAttributeValues: { ':one': 1 } }
  await expect(memory.update({ ...place, ...when, UpdateExpression: 'REMOVE a' })).rejects.toThrow(
    'Not known',
  )
})
