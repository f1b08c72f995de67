import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { expect, it } from 'vitest'
import type { Host } from '#lib/cloud/host.ts'
import { createItemTable, startingWith } from '#lib/items/item-table.ts'
import { DurableFiles } from '#local/durable/durable-files.ts'
import { ItemDatabase } from '#local/items/item-database.ts'
import { connect, hostOver, operationsOf } from '#local/runtime/host/by-message.ts'
import { folderUntilEnd } from '#support/until-end.ts'
import { withinRights } from '#support/within-rights.ts'

const folder = folderUntilEnd()

const files = new DurableFiles()
const signal = new AbortController().signal

const sortKeysOf = async (database: ItemDatabase, table: string): Promise<unknown[]> => {
  const keys: unknown[] = []
  for await (const { sk } of createItemTable(database.table(table)).query('p', startingWith('')))
    keys.push(sk)
  return keys
}

it('keeps each table’s items over a restart, in the order of their keys', async () => {
  const first = await ItemDatabase.open(join(folder, 'kept'), files)
  const items = createItemTable(first.table('one'))
  await Promise.all(['b', 'ä', 'a'].map(sk => items.put({ pk: 'p', sk }, {})))
  await createItemTable(first.table('two')).put({ pk: 'p', sk: 'other' }, {})
  first.close()
  const second = await ItemDatabase.open(join(folder, 'kept'), files)
  expect(await sortKeysOf(second, 'one')).toEqual(['a', 'b', 'ä'])
  expect(await sortKeysOf(second, 'two')).toEqual(['other'])
  second.close()
})

it('a page ends at 1 MB, and the next goes on behind it', async () => {
  const database = ItemDatabase.inMemory(files)
  const store = database.table('large')
  const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
  for (const sk of keys) await createItemTable(store).put({ pk: 'p', sk }, { text: 'x'.repeat(350_000) })
  expect((await store.page('p', { from: 'a', to: 'z' }, undefined)).items).toHaveLength(2)
  expect(await sortKeysOf(database, 'large')).toEqual(keys)
  database.close()
})

it('of writes that wait together one that is refused leaves its neighbours alone', async () => {
  const database = await ItemDatabase.open(join(folder, 'group'), files)
  const items = createItemTable(database.table('t'))
  const large = { list: Array(120_000).fill('') }
  await items.put({ pk: 'p', sk: 'large' }, large)
  const outcomes = await Promise.allSettled([
    items.put({ pk: 'p', sk: 'a' }, {}, 'absent'),
    items.update({ pk: 'p', sk: 'large' }, { set: { more: 'x'.repeat(300_000) } }),
    items.put({ pk: 'p', sk: 'a' }, { second: true }, 'absent'),
    items.put({ pk: 'p', sk: 'b' }, {}),
  ])
  expect(outcomes.map(outcome => (outcome.status === 'rejected' ? 'refused' : outcome.value))).toEqual([
    true,
    'refused',
    false,
    true,
  ])
  expect(await items.get({ pk: 'p', sk: 'large' })).toEqual({ pk: 'p', sk: 'large', ...large })
  expect(await sortKeysOf(database, 't')).toEqual(['a', 'b', 'large'])
  database.close()
})

it('deletes the items whose time is over, some at a time, and stops when it is closed', async () => {
  const database = ItemDatabase.inMemory(files)
  const items = createItemTable(database.table('t'))
  const now = new Date('2026-01-02T00:00:00Z')
  const seconds = now.getTime() / 1000
  const due = Array.from({ length: 2500 }, (_, n) => ({ pk: 'old', sk: `${n}`, expiresAt: seconds - n }))
  await items.putAll(due)
  await items.put({ pk: 'p', sk: 'later' }, { expiresAt: seconds + 1 })
  await items.put({ pk: 'p', sk: 'never' }, {})
  await items.put({ pk: 'p', sk: 'renewed' }, { expiresAt: seconds - 1 })
  await items.put({ pk: 'p', sk: 'renewed' }, { expiresAt: seconds + 60 })
  const closed = AbortSignal.abort()
  await expect(database.expire(now, { pauseMs: 0, signal: closed })).rejects.toThrow('aborted')
  expect(await database.expire(now, { pauseMs: 0, signal })).toBe(1500)
  expect(await sortKeysOf(database, 't')).toEqual(['later', 'never', 'renewed'])
  database.close()
})

it('refuses a damaged file with a sentence, and leaves it as it is', async () => {
  const path = join(folder, 'damaged')
  ;(await ItemDatabase.open(path, files)).close()
  const file = join(path, 'items.db')
  writeFileSync(file, 'no database at all'.repeat(1000))
  const before = readFileSync(file)
  await expect(ItemDatabase.open(path, files)).rejects.toThrow(
    /The database .* of the items is damaged .* Restore the data directory/,
  )
  expect(readFileSync(file)).toEqual(before)
})

const TABLE = 'arn:aws:dynamodb:us-east-1:000000000000:table/t'

const endOf = (port: MessagePort): Parameters<typeof connect>[0] => ({
  on: (name, listener) => port.on(name, listener),
  send: message => port.postMessage(message),
})

it('a function gets answers and refusals over its channel, and its rights see operation, table and partitions', async () => {
  const database = ItemDatabase.inMemory(files)
  const { port1, port2 } = new MessageChannel()
  const asked: unknown[] = []
  const host = { items: (name: string) => database.table(name) } as Host // It asks for items alone.
  const bounded = withinRights(host, ({ action, resource, context = {} }) => {
    const [partitions = []] = Object.values(context)
    asked.push([action, resource, partitions])
    return partitions[0] !== 'forbidden'
  })
  connect(endOf(port1), operationsOf(bounded))
  const items = createItemTable(hostOver(connect(endOf(port2), {}).ask).items('t'))
  try {
    expect(await items.put({ pk: 'p', sk: 'a' }, { n: 1, gone: undefined }, 'absent')).toBe(true)
    expect(await items.put({ pk: 'p', sk: 'a' }, {}, 'absent')).toBe(false)
    expect(await items.get({ pk: 'p', sk: 'a' })).toEqual({ pk: 'p', sk: 'a', n: 1 })
    expect(await items.update({ pk: 'p', sk: 'a' }, { add: { n: 2 } })).toMatchObject({ n: 3 })
    await items.putAll([
      { pk: 'q', sk: '1' },
      { pk: 'r', sk: '2' },
    ])
    expect(await items.getMany([{ pk: 'q', sk: '1' }])).toEqual([{ pk: 'q', sk: '1' }])
    for await (const _ of items.query('p', startingWith(''))) break
    expect(await items.delete({ pk: 'p', sk: 'a' })).toBe(true)
    await expect(items.put({ pk: 'forbidden', sk: 'a' }, {})).rejects.toMatchObject({
      name: 'AccessDeniedException',
      message: `The function is not authorized to perform dynamodb:PutItem on ${TABLE}`,
    })
    expect(asked.splice(0)).toEqual([
      ['dynamodb:PutItem', TABLE, ['p']],
      ['dynamodb:PutItem', TABLE, ['p']],
      ['dynamodb:GetItem', TABLE, ['p']],
      ['dynamodb:UpdateItem', TABLE, ['p']],
      ['dynamodb:BatchWriteItem', TABLE, ['q', 'r']],
      ['dynamodb:BatchGetItem', TABLE, ['q']],
      ['dynamodb:Query', TABLE, ['p']],
      ['dynamodb:DeleteItem', TABLE, ['p']],
      ['dynamodb:PutItem', TABLE, ['forbidden']],
    ])
    const key = { pk: 'q', sk: '1' }
    const put = { action: 'put', key: { pk: 'r', sk: '3' }, item: {}, when: new Date() } as const
    const check = { action: 'check', key, when: 'absent' } as const
    expect(await items.transact([put, check])).toEqual([{ key, found: key }])
    expect(await items.transact([put, { ...check, when: { n: undefined } }])).toEqual([])
    expect(await items.getMany([put.key, { pk: 'r', sk: '4' }])).toEqual([put.key])
    const forbidden = { action: 'delete', key: { pk: 'forbidden', sk: 'a' } } as const
    await expect(items.transact([put, forbidden])).rejects.toMatchObject({ name: 'AccessDeniedException' })
    expect(asked).toEqual([
      ['dynamodb:PutItem', TABLE, ['r']],
      ['dynamodb:ConditionCheckItem', TABLE, ['q']],
      ['dynamodb:PutItem', TABLE, ['r']],
      ['dynamodb:ConditionCheckItem', TABLE, ['q']],
      ['dynamodb:BatchGetItem', TABLE, ['r', 'r']],
      ['dynamodb:PutItem', TABLE, ['r']],
      ['dynamodb:DeleteItem', TABLE, ['forbidden']],
    ])
  } finally {
    port2.close()
    database.close()
  }
})
