import { DeleteObjectCommand } from '@aws-sdk/client-s3'
import { describe, expect, it } from 'vitest'
import { objectKeyId } from '#functions/start-import/key-records.ts'
import type { LandedObject } from '#lib/landed-object.ts'
import { NONE } from '#lib/none.ts'
import type { StorageClient } from '#lib/storage-client/storage-client.ts'
import { createTestRecords } from '#support/import-records.ts'
import {
  bucketId,
  dependencies,
  finishJobs,
  jobsOfTest,
  LANDING,
  land,
  newExecution,
  rowsOf,
  service,
  start,
  storage,
  transferOf,
  useImportService,
} from '#support/import-service.ts'
import { startImport } from '#support/told-import.ts'

useImportService()

describe('a new object', () => {
  it('becomes a table in a bucket that did not exist', async () => {
    const result = await start(
      await land(`${bucketId}/orders.csv`, 'id,name\n1,Zoë\n', { 'primary-key': 'id' }),
    )
    expect(result).toMatchObject({ outcome: 'started', tableId: `${bucketId}.orders` })
    expect(await rowsOf('orders')).toEqual(['"id","name"', '"1","Zoë"'])
    const { body: table } = await service.call('GET', `/v2/storage/tables/${bucketId}.orders`)
    expect(table.primaryKey).toEqual(['id'])
  })

  it('may have a key of 1,024 bytes', async () => {
    const folder = `${bucketId}/long/`
    // The name of a file of the service would begin in the middle of the sign.
    const name = `${'a'.repeat(1024 - folder.length - 4 - 495 - 4)}💰${'b'.repeat(495)}`
    expect(Buffer.byteLength(`${folder}${name}.csv`)).toBe(1024)
    await start(await land(`${folder}${name}.csv`, 'id\n1\n'))
    expect(await rowsOf('long')).toEqual(['"id"', '"1"'])
  })

  it('of an existing table replaces its content, or adds to it when it says so', async () => {
    await start(await land(`${bucketId}/orders.csv`, 'id,name\n1,a\n2,b\n', { 'primary-key': 'id' }))
    await finishJobs()
    await start(await land(`${bucketId}/orders.csv`, 'id,name\n2,B\n3,c\n', { incremental: '1' }))
    expect((await rowsOf('orders')).sort()).toEqual(['"1","a"', '"2","B"', '"3","c"', '"id","name"'])
    await start(await land(`${bucketId}/orders.csv`, 'id,name\n9,z\n'))
    expect(await rowsOf('orders')).toEqual(['"id","name"', '"9","z"'])
  })

  it.each([
    ['ours', () => service.filesBucket],
    ['of a hosted service, through memory', () => NONE],
  ])('larger than one part arrives whole in a files bucket %s', async (_, ownFilesBucket) => {
    const row = `${'x'.repeat(1000)}\n`
    const content = `value\n${row.repeat(17_000)}`
    const transfer = transferOf({ ownFilesBucket: ownFilesBucket() })
    await start(await land(`${bucketId}/large.csv`, content), newExecution(), { transfer })
    await finishJobs()
    const { body: table } = await service.call('GET', `/v2/storage/tables/${bucketId}.large`)
    expect(table.rowsCount).toBe(17_000)
  })

  it.each(['', 'orders/_SUCCESS', 'orders/_committed_1', 'orders/.part-0.csv.crc', '.hidden.csv'])(
    'that marks something is ignored, and says why: "%s"',
    async name => {
      const ignored = await start(await land(`${bucketId}/${name}`, ''))
      expect(ignored).toEqual({ outcome: 'ignored', reason: expect.stringMatching(/folder|note/) })
      expect(await jobsOfTest()).toEqual([])
    },
  )

  it('that is gone is the user’s to know', async () => {
    const landed = await land(`${bucketId}/orders.csv`, 'id\n1\n')
    await service.s3.send(
      new DeleteObjectCommand({ Bucket: LANDING, Key: landed.key, VersionId: landed.versionId }),
    )
    await expect(start(landed)).rejects.toMatchObject({ name: 'UserError', code: 'landing.objectGone' })
  })

  it('whose key is overwritten meanwhile is still imported as it was', async () => {
    const first = await land(`${bucketId}/log.csv`, 'id\n1\n', { incremental: '1' })
    const second = await land(`${bucketId}/log.csv`, 'id\n2\n', { incremental: '1' })
    await start(first)
    await finishJobs()
    await start(second)
    expect((await rowsOf('log')).sort()).toEqual(['"1"', '"2"', '"id"'])
  })
})

describe('files of one folder', () => {
  const said = async (): Promise<string[]> => {
    const { body } = await service.call('GET', '/v2/storage/events?component=millrace-import&limit=100')
    return body.flatMap(({ type, message }: { type: string; message: string }) =>
      type === 'warn' && message.includes(bucketId) ? [message] : [],
    )
  }
  const drop = async (day: number, metadata: Record<string, string> = {}) => {
    await start(await land(`${bucketId}/daily/${day}.csv`, `id\n${day}\n`, metadata))
    await finishJobs()
  }

  it('that replace the rows of each other are said once, with the command that makes them add theirs', async () => {
    await drop(1)
    await drop(1)
    expect(await said()).toEqual([])
    await drop(2)
    await drop(3)
    expect(await said()).toEqual([
      `${bucketId}/daily/2.csv replaces all rows of ${bucketId}.daily, as ${bucketId}/daily/1.csv did. If each file is to add ` +
        `its rows: npx millrace tables settings ${bucketId}.daily --incremental`,
    ])
    expect(await rowsOf('daily')).toEqual(['"id"', '"3"'])
  })

  it('that add their rows are not', async () => {
    for (const day of [1, 2]) await drop(day, { incremental: '1' })
    expect(await said()).toEqual([])
  })
})

describe('told more than once', () => {
  it('20 times at once: one job', async () => {
    const landed = await land(`${bucketId}/orders.csv`, 'id\n1\n')
    const results = await Promise.all(Array.from({ length: 20 }, () => start(landed)))
    const outcomes = results.map(({ outcome }) => outcome)
    expect(outcomes.filter(outcome => outcome === 'started')).toHaveLength(1)
    expect(new Set(outcomes).isSubsetOf(new Set(['started', 'duplicate', 'alreadyStarted']))).toBe(true)
    expect(await jobsOfTest()).toHaveLength(1)
    expect(await rowsOf('orders')).toEqual(['"id"', '"1"'])
  })

  it('again after the import: the same job', async () => {
    const landed = await land(`${bucketId}/orders.csv`, 'id\n1\n', { incremental: '1' })
    const first = await start(landed)
    await finishJobs()
    const second = await start(landed)
    expect(second).toMatchObject({ outcome: 'alreadyStarted', jobId: 'jobId' in first && first.jobId })
    expect(await rowsOf('orders')).toEqual(['"id"', '"1"'])
  })

  it('again after the import failed: the failed job until that is reported, then a new one', async () => {
    const landed = await land(`${bucketId}/orders.csv`, 'id,name\n1\n')
    const execution = newExecution()
    const first = await start(landed, execution)
    await finishJobs()
    const jobId = 'jobId' in first && first.jobId
    expect(await start(landed)).toMatchObject({ outcome: 'alreadyStarted', jobId })
    const failure = { Error: 'invalidCsv', Cause: 'a ragged row' }
    await startImport(dependencies, { event: landed, execution, failure })
    const second = await start(landed)
    expect(second).toMatchObject({ outcome: 'started', mends: { isIncremental: false } })
    expect('jobId' in second && second.jobId).not.toBe(jobId)
    expect((await jobsOfTest()).map(({ status }) => status)).toEqual(['error', 'error'])
  })
})

describe('of an import that failed', () => {
  const failure = { Error: 'invalidCsv', Cause: 'a ragged row' }
  const released = async (landed: LandedObject) => {
    const result = await startImport(dependencies, { event: landed, execution: newExecution(), failure })
    return 'details' in result && result.details
  }

  it.each<[string, string, Record<string, string>, unknown]>([
    ['that replaces its table', 'orders.csv', {}, false],
    ['that is added', 'orders.csv', { incremental: '1' }, true],
    ['whose key names no table', 'orders.png', {}, null],
    ['whose metadata say nothing', 'orders.csv', { incremental: 'maybe' }, null],
  ])('the letter says how a file %s is loaded', async (_, name, metadata, isIncremental) => {
    const landed = await land(`${bucketId}/${name}`, 'id\n1\n', metadata)
    expect(await released(landed)).toMatchObject({ isIncremental })
  })

  it('the letter says nothing of one that is gone', async () => {
    expect(await released({ bucket: LANDING, key: `${bucketId}/gone.csv` })).toEqual({})
  })

  it('the next version mends it, also when it began before the failure was told; the first of a key mends nothing', async () => {
    const first = await start(await land(`${bucketId}/orders.csv`, 'id,name\n1\n'))
    expect(first).toMatchObject({ outcome: 'started' })
    expect(first).not.toHaveProperty('mends')
    const good = await land(`${bucketId}/orders.csv`, 'id,name\n1,a\n', { incremental: '1' })
    const { versionId } = good
    expect(await start(good)).toMatchObject({ outcome: 'started', mends: { isIncremental: true, versionId } })
  })

  it('what was stopped while it held the key is mended by whoever takes it', async () => {
    const landed = await land(`${bucketId}/orders.csv`, 'id\n1\n')
    const after = createTestRecords({ isRunning: async () => false })
    await after.takeLease(objectKeyId(landed), { owner: newExecution(), versionId: '' })
    const result = await start(landed, newExecution(), { records: after })
    expect(result).toMatchObject({ outcome: 'started', mends: {} })
  })
})

describe('told out of order', () => {
  const outcomesOf = async (...events: LandedObject[]): Promise<string[]> => {
    const outcomes: string[] = []
    for (const event of events) {
      outcomes.push((await start(event)).outcome)
      await finishJobs()
    }
    return outcomes
  }

  it('an older full load is loaded before the newer one', async () => {
    await outcomesOf(await land(`${bucketId}/orders.csv`, 'id\nfirst\n'))
    const older = await land(`${bucketId}/orders.csv`, 'id\nold\n')
    const newer = await land(`${bucketId}/orders.csv`, 'id\nnew\n')
    expect(await outcomesOf(newer, older)).toEqual(['started', 'alreadyStarted'])
    expect(await rowsOf('orders')).toEqual(['"id"', '"new"'])
    expect(await jobsOfTest()).toHaveLength(3)
  })

  it('an older incremental load does not win over the newer one', async () => {
    const keyed = { incremental: '1', 'primary-key': 'id' }
    await outcomesOf(await land(`${bucketId}/orders.csv`, 'id,v\n1,a\n2,a\n', keyed))
    const older = await land(`${bucketId}/orders.csv`, 'id,v\n1,b\n2,b\n', keyed)
    const newer = await land(`${bucketId}/orders.csv`, 'id,v\n1,c\n', keyed)
    expect(await outcomesOf(newer, older)).toEqual(['started', 'alreadyStarted'])
    expect((await rowsOf('orders')).sort()).toEqual(['"1","c"', '"2","b"', '"id","v"'])
  })

  it('the first versions of a new table are imported one after the other', async () => {
    const first = await land(`${bucketId}/orders.csv`, 'id\n1\n', { incremental: '1' })
    const second = await land(`${bucketId}/orders.csv`, 'id\n2\n', { incremental: '1' })
    expect(await outcomesOf(second, second, first)).toEqual(['started', 'alreadyStarted', 'alreadyStarted'])
    expect((await rowsOf('orders')).sort()).toEqual(['"1"', '"2"', '"id"'])
    expect((await jobsOfTest()).map(({ status }) => status)).toEqual(['success', 'success'])
  })

  it('another version of the key waits for the one that is being started', async () => {
    const first = await land(`${bucketId}/orders.csv`, 'id\n1\n')
    let second: LandedObject | undefined
    let duringFirst: unknown
    const slow: StorageClient = {
      ...storage,
      createTable: async (creation, key) => {
        second = await land(`${bucketId}/orders.csv`, 'id\n2\n')
        duringFirst = await start(second)
        return storage.createTable(creation, key)
      },
    }
    await start(first, newExecution(), { storage: slow })
    expect(duringFirst).toMatchObject({ outcome: 'busy', waitSeconds: expect.any(Number) })
    await finishJobs()
    expect(second && (await start(second))).toMatchObject({ outcome: 'started' })
    expect(await rowsOf('orders')).toEqual(['"id"', '"2"'])
  })

  it('the failure path gives the key back, and only its own', async () => {
    const first = await land(`${bucketId}/orders.csv`, 'id\n1\n')
    const dying = newExecution()
    const broken: StorageClient = { ...storage, prepareFile: () => Promise.reject(new Error('died')) }
    await expect(start(first, dying, { storage: broken })).rejects.toThrow('died')
    const failure = { Error: 'Error', Cause: 'died' }

    const second = await land(`${bucketId}/orders.csv`, 'id\n2\n')
    await startImport(dependencies, { event: first, execution: newExecution(), failure })
    expect(await start(second)).toMatchObject({ outcome: 'busy' })
    expect(await startImport(dependencies, { event: first, execution: dying, failure })).toMatchObject({
      outcome: 'released',
      failure: { code: 'Error', message: 'died' },
    })
    expect(await start(first)).toMatchObject({ outcome: 'started' })
  })

  it('a failure before there is a job becomes an event; one of a job has the event of the job', async () => {
    const eventsOf = async (key: string) => {
      const { body } = await service.call('GET', '/v2/storage/events?component=millrace-import')
      return body.filter(({ params }: { params: { key: string } }) => params.key === key)
    }
    const dying = newExecution()
    const key = `${bucketId}/broken.csv`
    const landed = await land(key, 'id\n1\n')
    const failure = { Error: 'UserError', Cause: '{"errorMessage":"The key is wrong."}' }
    await startImport(dependencies, { event: landed, execution: dying, failure })
    expect(await eventsOf(key)).toMatchObject([
      { type: 'error', message: `Import of ${key} failed: The key is wrong.`, params: { bucket: LANDING } },
    ])

    const withJob = await land(`${bucketId}/ragged.csv`, 'id,city\n1\n')
    const execution = newExecution()
    expect(await start(withJob, execution)).toMatchObject({ outcome: 'started' })
    await startImport(dependencies, { event: withJob, execution, failure })
    expect(await eventsOf(`${bucketId}/ragged.csv`)).toEqual([])
  })
})
