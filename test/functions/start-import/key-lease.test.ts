import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { expect, it } from 'vitest'
import { type KeyLease, leaseLost } from '#functions/start-import/key-lease.ts'
import { keyState } from '#functions/start-import/key-state.ts'
import { startImportRecords } from '#support/import-records.ts'
import { leaseContract } from '#support/lease-contract.ts'

leaseContract<KeyLease>('the item of a landing key', async () => {
  const records = await startImportRecords()
  let keys = 0
  return {
    stores: () => {
      const keyId = `key-${++keys}`
      return [records.leaseOf(keyId), records.leaseOf(keyId)]
    },
    lease: n => ({ owner: `execution-${n}`, versionId: `version-${n}` }),
    close: records.close,
  }
})

it('an owner that has lost the lease writes no state', async () => {
  const records = await startImportRecords({ isRunning: async () => false })
  try {
    const lease = records.leaseOf('key')
    await records.takeLease('key', { owner: 'first', versionId: 'a' })
    await records.takeLease('key', { owner: 'second', versionId: 'b' })
    const state = keyState.parse({ round: 7 })
    await expect(lease.save('first', state)).rejects.toMatchObject({ code: leaseLost(undefined).code })
    await lease.saveAndRelease('first', state)
    expect(await lease.holder()).toEqual({ owner: 'second', versionId: 'b' })
    const taken = await records.takeLease('key', { owner: 'second', versionId: 'b' })
    expect(taken).toMatchObject({ outcome: 'taken', content: { round: 0 } })
  } finally {
    await records.close()
  }
})

it('an item of version 0.1 is a lease', async () => {
  const records = await startImportRecords({ isRunning: async execution => execution === 'running' })
  try {
    const item = { id: 'turn#key', turnOwner: 'running', versionId: 'a', turnTakenAt: 1, lastSequencer: '05' }
    await records.documents.send(new PutCommand({ TableName: records.tableName, Item: item }))
    const other = { owner: 'other', versionId: 'b' }
    expect(await records.takeLease('key', other)).toEqual({
      outcome: 'held',
      by: { owner: 'running', versionId: 'a' },
    })
    await records.leaseOf('key').release('running')
    expect(await records.takeLease('key', other)).toEqual({
      outcome: 'taken',
      content: { round: 0, lastSequencer: '05' },
    })
  } finally {
    await records.close()
  }
})
