import { expect, it } from 'vitest'
import { type KeyLease, keyState, objectVersionId } from '#functions/start-import/key-records.ts'
import { createTestRecords } from '#support/import-records.ts'
import { leaseContract } from '#support/lease-contract.ts'
import { startItemTable } from '#support/start-item-table.ts'

leaseContract<KeyLease>('the item of a landing key', async () => {
  const { items, close } = await startItemTable()
  const records = createTestRecords({ table: items })
  let keys = 0
  return {
    stores: () => {
      const keyId = `key-${++keys}`
      return [records.leaseOf(keyId), records.leaseOf(keyId)]
    },
    lease: n => ({ owner: `execution-${n}`, versionId: `version-${n}` }),
    close: close,
  }
})

it('an owner that has lost the lease writes no state', async () => {
  const records = createTestRecords({ isRunning: async () => false })
  const lease = records.leaseOf('key')
  await records.takeLease('key', { owner: 'first', versionId: 'a' })
  await records.takeLease('key', { owner: 'second', versionId: 'b' })
  const state = keyState.parse({ mayHaveFailed: true })
  await expect(lease.save('first', state)).rejects.toMatchObject({ code: 'landing.leaseLost' })
  await lease.release('first', state)
  expect(await lease.holder()).toEqual({ owner: 'second', versionId: 'b' })
  const taken = await records.takeLease('key', { owner: 'second', versionId: 'b' })
  expect(taken).toEqual({ outcome: 'taken', content: {} })
})

it('the id of an object version differs by version, key and bucket', () => {
  const object = { bucket: 'landing', key: 'in.c-main/orders.csv', versionId: 'v1' }
  const others = [{ versionId: 'v2' }, { key: 'in.c-main/other.csv' }, { bucket: 'other' }]
  const ids = [object, ...others.map(other => ({ ...object, ...other })), object].map(objectVersionId)
  expect(new Set(ids).size).toBe(ids.length - 1)
  expect(ids.at(-1)).toBe(ids[0])
})
