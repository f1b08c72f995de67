import { describe, expect, it } from 'vitest'
import type { ImportRecords } from '#functions/start-import/import-records.ts'
import type { StorageClient } from '#lib/storage-client/storage-client.ts'
import {
  bucketId,
  jobsOfTest,
  land,
  newExecution,
  records,
  rowsOf,
  start,
  storage,
  useImportService,
} from '#support/import-service.ts'
import { isThorough } from '#support/thorough.ts'

useImportService()

describe('dying anywhere', () => {
  /** Calls through, and dies before or after the n-th call of any of these functions. */
  const dyingAt = (call: number, when: 'before' | 'after') => {
    let calls = 0
    const wrap = <T extends object>(target: T): T =>
      new Proxy(target, {
        get: (object, name) => {
          const value = Reflect.get(object, name)
          if (typeof value !== 'function') return value
          // Opening the lease of a key calls nobody; what is done with it does.
          if (name === 'leaseOf') return (...args: unknown[]) => wrap(value.apply(object, args))
          return async (...args: unknown[]) => {
            calls += 1
            if (calls === call && when === 'before') throw new Error('died')
            const result = await value.apply(object, args)
            if (calls === call && when === 'after') throw new Error('died')
            return result
          }
        },
      })
    return { storage: wrap(storage), records: wrap<ImportRecords>(records) }
  }

  const CALLS = 13

  // To die before a call is to die after the one before it, but for the first.
  const moments = Array.from({ length: CALLS }, (_, index) => index + 1).flatMap(call =>
    call === 1 || isThorough
      ? ([
          [call, 'before'],
          [call, 'after'],
        ] as const)
      : ([[call, 'after']] as const),
  )

  it.each(moments)(
    'call %i, %s it: the next attempt of the same execution makes it one load',
    async (call, when) => {
      const landed = await land(`${bucketId}/orders.csv`, 'id\n1\n', { incremental: '1' })
      const execution = newExecution()
      const first = await start(landed, execution, dyingAt(call, when)).catch((error: unknown) => error)
      if (first instanceof Error) expect(first.message).toBe('died')
      const second = await start(landed, execution)
      expect(['started', 'alreadyStarted']).toContain(second.outcome)
      expect(await jobsOfTest()).toHaveLength(1)
      expect(await rowsOf('orders')).toEqual(['"id"', '"1"'])
    },
  )

  it('after a hosted service without idempotency keys has accepted: its job is found by the file', async () => {
    const landed = await land(`${bucketId}/orders.csv`, 'id\n1\n', { incremental: '1' })
    const execution = newExecution()
    let unknownKeys = 0
    const hosted: StorageClient = {
      ...storage,
      createTable: creation => storage.createTable(creation, `not-kept-${execution}-${++unknownKeys}`),
      importTable: tableImport => storage.importTable(tableImport, `not-kept-${execution}-${++unknownKeys}`),
    }
    const dying: StorageClient = {
      ...hosted,
      createTable: async (creation, key) => {
        await hosted.createTable(creation, key)
        throw new Error('died')
      },
    }
    await expect(start(landed, execution, { storage: dying })).rejects.toThrow('died')
    expect(await start(landed, execution, { storage: hosted })).toMatchObject({ outcome: 'started' })
    expect(await jobsOfTest()).toHaveLength(1)
  })
})
