import { CreateBucketCommand } from '@aws-sdk/client-s3'
import { expect, it } from 'vitest'
import {
  createConfigurationLeaseStore,
  createConfigurationLeases,
} from '#functions/run-extractor/configuration-lease.ts'
import { createBucketDocuments } from '#lib/cloud/bucket-documents.ts'
import { leaseContract } from '#support/lease-contract.ts'
import { startStorageService } from '#support/storage-service.ts'

const now = () => new Date()

const startWork = async () => {
  const service = await startStorageService()
  await service.s3.send(new CreateBucketCommand({ Bucket: 'work' }))
  return { work: createBucketDocuments(service.s3, 'work'), close: service.close }
}

leaseContract('a document of the work bucket', async () => {
  const { work, close } = await startWork()
  let configurations = 0
  return {
    stores: () => {
      const place = { componentId: 'ex', configId: `App\\Case ${++configurations}: @` }
      return [
        createConfigurationLeaseStore(work, place, now),
        createConfigurationLeaseStore(work, place, now),
      ]
    },
    lease: n => ({ owner: `arn:aws:states:::execution:extract:${n}` }),
    close,
  }
})

it('a document is a lease: held, or released', async () => {
  const { work, close } = await startWork()
  try {
    const leases = createConfigurationLeases({ work, isRunning: async owner => owner === 'running', now })
    const takenAt = now().toISOString()
    await work.write('leases/ex/held.json', { owner: 'running', takenAt }, 'absent')
    await work.write('leases/ex/free.json', { owner: null, takenAt }, 'absent')
    expect(await leases.take({ componentId: 'ex', configId: 'held' }, 'mine')).toMatchObject({
      outcome: 'held',
      by: { owner: 'running' },
    })
    const free = { componentId: 'ex', configId: 'free' }
    expect(await leases.take(free, 'mine')).toMatchObject({ outcome: 'taken' })
    expect([await leases.isHeld(free, 'mine'), await leases.isHeld(free, 'other')]).toEqual([true, false])
  } finally {
    await close()
  }
})
