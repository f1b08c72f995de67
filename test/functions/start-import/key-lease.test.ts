import { expect, it } from 'vitest'
import { type KeyLease, keyState } from '#functions/start-import/key-records.ts'
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
  const state = keyState.parse({ moving: 'c' })
  await expect(lease.save('first', state)).rejects.toMatchObject({ code: 'landing.leaseLost' })
  await lease.saveAndRelease('first', state)
  expect(await lease.holder()).toEqual({ owner: 'second', versionId: 'b' })
  const taken = await records.takeLease('key', { owner: 'second', versionId: 'b' })
  expect(taken).toEqual({ outcome: 'taken', content: {} })
})
