import { describe, expect, it } from 'vitest'
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
import { dyingAt } from '#support/landing.ts'
import { isThorough } from '#support/thorough.ts'

useImportService()

describe('dying anywhere', () => {
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
      const first = await start(landed, execution, dyingAt(call, when, { storage, records })).catch(
        (error: unknown) => error,
      )
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
