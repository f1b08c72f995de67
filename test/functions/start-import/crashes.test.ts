import { describe, expect, it } from 'vitest'
import type { StartImportDependencies } from '#functions/start-import/import-version.ts'
import type { StorageClient } from '#lib/storage-client/storage-client.ts'
import {
  bucketId,
  dependencies,
  jobsOfTest,
  land,
  newExecution,
  records,
  rowsOf,
  start,
  storage,
  useImportService,
} from '#support/import-service.ts'
import { Died, dyingAt } from '#support/landing.ts'
import { isThorough } from '#support/thorough.ts'
import { startImport } from '#support/told-import.ts'

useImportService()

describe('a version whose job was accepted and not noted, when its import is given up', () => {
  /** Dies before the id of the job is saved; then the machine cleans up. */
  const giveUp = async (changed: Partial<StartImportDependencies> = {}) => {
    const landed = await land(`${bucketId}/orders.csv`, 'id\n1\n', { incremental: '1' })
    const execution = newExecution()
    const saveProgress: typeof records.saveProgress = async (versionId, progress) =>
      progress.jobId === undefined ? records.saveProgress(versionId, progress) : Promise.reject(new Died())
    await expect(start(landed, execution, { records: { ...records, saveProgress } })).rejects.toThrow('died')
    const events: unknown[] = []
    const postEvent: StorageClient['postEvent'] = async event => void events.push(event)
    const failure = { Error: 'Runtime.ExitError', Cause: 'killed' }
    const given = { ...dependencies, ...changed, storage: { ...storage, ...changed.storage, postEvent } }
    const result = await startImport(given, { event: landed, execution, failure })
    expect(result.outcome).toBe('released')
    return { landed, events }
  }

  it('is not said to have failed, and a redrive finds the job', async () => {
    const { landed, events } = await giveUp()
    expect(events).toEqual([])
    const again = await start(landed)
    expect(['started', 'alreadyStarted']).toContain(again.outcome)
    expect(await jobsOfTest()).toHaveLength(1)
    expect(await rowsOf('orders')).toEqual(['"id"', '"1"'])
  })

  it('is said to have failed when nobody can look, and is imported once all the same', async () => {
    const findJobOfFile = () => Promise.reject(new Error('down'))
    const { landed, events } = await giveUp({ storage: { ...storage, findJobOfFile } })
    expect(events).toHaveLength(1)
    await start(landed)
    expect(await jobsOfTest()).toHaveLength(1)
    expect(await rowsOf('orders')).toEqual(['"id"', '"1"'])
  })
})

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
      knows: async () => false,
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
