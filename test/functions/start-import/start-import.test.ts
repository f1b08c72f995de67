import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  AbortMultipartUploadCommand,
  CreateBucketCommand,
  DeleteObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { createAdaptorServer } from '@hono/node-server'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { StartImportDependencies } from '#functions/start-import/dependencies.ts'
import { NO_BUCKET_OF_OURS } from '#functions/start-import/env-names.ts'
import type { LandedObject } from '#functions/start-import/event.ts'
import type { ImportRecords } from '#functions/start-import/import-records.ts'
import { startImport } from '#functions/start-import/start-import.ts'
import { createTransfer, type TransferOptions } from '#functions/start-import/transfer.ts'
import { UserError } from '#lib/errors/errors.ts'
import { createStorageClient, type StorageClient } from '#lib/storage-client/storage-client.ts'
import { startImportRecords } from '../../support/import-records.ts'
import { type StorageService, startStorageService } from '../../support/storage-service.ts'
import { isThorough } from '../../support/thorough.ts'

const LANDING = 'landing'

let service: StorageService
let api: Server
let storage: StorageClient
let records: Awaited<ReturnType<typeof startImportRecords>>
let dependencies: StartImportDependencies
let bucketId: string
let buckets = 0
let lastJobBefore = 0

beforeAll(async () => {
  service = await startStorageService()
  api = createAdaptorServer({ fetch: service.app.fetch }) as Server // Without options it makes a plain HTTP server.
  await new Promise<void>(resolve => api.listen(0, '127.0.0.1', resolve))
  const { port } = api.address() as AddressInfo // It listens on a port.
  storage = createStorageClient({ baseUrl: `http://127.0.0.1:${port}`, token: service.token })
  records = await startImportRecords()
  await service.s3.send(new CreateBucketCommand({ Bucket: LANDING }))
  await service.s3.send(
    new PutBucketVersioningCommand({ Bucket: LANDING, VersioningConfiguration: { Status: 'Enabled' } }),
  )
  dependencies = {
    s3: service.s3,
    transfer: createTransfer({ s3: service.s3, ownFilesBucket: service.filesBucket, s3With }),
    storage,
    records,
    rules: [],
    now: () => new Date(),
    log: { info: () => {}, warn: () => {} },
  }
})

beforeEach(async () => {
  const { body: jobs } = await service.call('GET', '/v2/storage/jobs?limit=1')
  lastJobBefore = jobs[0]?.id ?? 0
  buckets += 1
  bucketId = `in.c-test${buckets}`
})

afterAll(async () => {
  await records?.close()
  await new Promise(resolve => api.close(resolve))
  await service?.close()
})

/** What the handler does, with the endpoint of the test. */
const s3With: TransferOptions['s3With'] = (region, credentials) =>
  new S3Client({
    endpoint: service.s3Endpoint,
    forcePathStyle: true,
    region,
    credentials: {
      accessKeyId: credentials.AccessKeyId,
      secretAccessKey: credentials.SecretAccessKey,
      sessionToken: credentials.SessionToken,
    },
  })

let sequence = 0

/** Puts an object, and says of it what S3's event would. */
const land = async (
  key: string,
  content: string,
  metadata: Record<string, string> = {},
): Promise<LandedObject> => {
  const { VersionId } = await service.s3.send(
    new PutObjectCommand({ Bucket: LANDING, Key: key, Body: content, Metadata: metadata }),
  )
  sequence += 1
  return { bucket: LANDING, key, versionId: VersionId, sequencer: sequence.toString(16).padStart(18, '0') }
}

let executions = 0
const newExecution = (): string => {
  executions += 1
  return `execution-${executions}`
}

const start = (
  event: LandedObject,
  execution = newExecution(),
  changed: Partial<StartImportDependencies> = {},
) => startImport({ ...dependencies, ...changed }, { event, execution })

const finishJobs = (): Promise<void> => service.jobsEnded()

/** The jobs of this test, newest first. */
const jobsOfTest = async (): Promise<{ id: number; status: string }[]> => {
  await finishJobs()
  const { body } = await service.call('GET', '/v2/storage/jobs?limit=100')
  return body.filter(({ id }: { id: number }) => id > lastJobBefore)
}

const rowsOf = async (table: string): Promise<string[]> => {
  await finishJobs()
  const { text } = await service.call('GET', `/v2/storage/tables/${bucketId}.${table}/data-preview`)
  return text.trimEnd().split('\n')
}

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
    ['of a hosted service, through memory', () => NO_BUCKET_OF_OURS],
  ])('larger than one part arrives whole in a files bucket %s', async (_, ownFilesBucket) => {
    const row = `${'x'.repeat(1000)}\n`
    const content = `value\n${row.repeat(20_000)}`
    const transfer = createTransfer({ s3: service.s3, ownFilesBucket: ownFilesBucket(), s3With })
    await start(await land(`${bucketId}/large.csv`, content), newExecution(), { transfer })
    await finishJobs()
    const { body: table } = await service.call('GET', `/v2/storage/tables/${bucketId}.large`)
    expect(table.rowsCount).toBe(20_000)
  })

  it('that is a folder marker is ignored', async () => {
    expect(await start(await land(`${bucketId}/`, ''))).toEqual({ outcome: 'ignored' })
    expect(await jobsOfTest()).toEqual([])
  })

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
    expect(second).toMatchObject({ outcome: 'started' })
    expect('jobId' in second && second.jobId).not.toBe(jobId)
    expect((await jobsOfTest()).map(({ status }) => status)).toEqual(['error', 'error'])
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
    expect(await outcomesOf(second, second, first)).toEqual(['busy', 'started', 'alreadyStarted'])
    expect((await rowsOf('orders')).sort()).toEqual(['"1"', '"2"', '"id"'])
    expect((await jobsOfTest()).map(({ status }) => status)).toEqual(['success', 'success'])
  })

  it('another version of the key waits for the one that is being started', async () => {
    const first = await land(`${bucketId}/orders.csv`, 'id\n1\n')
    let second: LandedObject | undefined
    let duringFirst: unknown
    const slow: StorageClient = {
      ...storage,
      hasTable: async tableId => {
        second = await land(`${bucketId}/orders.csv`, 'id\n2\n')
        duringFirst = await start(second)
        return storage.hasTable(tableId)
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
    expect(await startImport(dependencies, { event: first, execution: dying, failure })).toEqual({
      outcome: 'released',
      failure: { code: 'Error', message: 'died' },
    })
    expect(await start(first)).toMatchObject({ outcome: 'started' })
  })
})

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

describe('an object that is too large for one function', () => {
  const MiB = 1024 ** 2
  const limits = {
    copiedAtOnceBytes: 16 * MiB,
    streamedAtOnceBytes: 16 * MiB,
    copiedRangeBytes: 16 * MiB,
    streamedRangeBytes: 16 * MiB,
  }
  const transferOf = (ownFilesBucket: string) =>
    createTransfer({ s3: service.s3, ownFilesBucket, s3With, limits })

  const contentOf = (letter: string) => `value\n${`${letter.repeat(1000)}\n`.repeat(40_000)}`
  const content = contentOf('x')
  const unfinishedUploads = async () =>
    (await service.s3.send(new ListMultipartUploadsCommand({ Bucket: service.filesBucket }))).Uploads ?? []

  it.each([
    ['streamed to a service elsewhere', 'NONE', 3],
    ['copied inside S3', 'files', 1],
  ])('is %s, range by range, and then imported', async (_, ownFilesBucket, count) => {
    const changed = { transfer: transferOf(ownFilesBucket) }
    const landed = await land(`${bucketId}/large.csv`, content)
    const execution = newExecution()
    const begun = await start(landed, execution, changed)
    if (begun.outcome !== 'moving') throw new Error(`it is ${begun.outcome}`)
    expect(begun.ranges).toHaveLength(count)

    const move = (range: { from: number; to: number }) =>
      startImport({ ...dependencies, ...changed }, { event: landed, execution, move: range })
    for (const range of begun.ranges.slice(1)) await move(range)
    // An execution that begins again is told what is missing, and nobody else may take part.
    expect(await start(landed, execution, changed)).toEqual({ ...begun, ranges: begun.ranges.slice(0, 1) })
    expect(await start(landed, newExecution(), changed)).toMatchObject({ outcome: 'duplicate' })
    await Promise.all([...begun.ranges, ...begun.ranges.slice(0, 1)].map(move))

    expect(await start(landed, execution, changed)).toMatchObject({
      outcome: 'started',
      fileId: begun.fileId,
    })
    await finishJobs()
    const { body: table } = await service.call('GET', `/v2/storage/tables/${bucketId}.large`)
    expect(table.rowsCount).toBe(40_000)
    expect(await unfinishedUploads()).toEqual([])
    expect(await move({ from: 1, to: 1 })).toEqual({ outcome: 'moved' })
  })

  it('leaves nothing of its move on the failure path, and can be moved again', async () => {
    const changed = { transfer: transferOf('NONE') }
    const landed = await land(`${bucketId}/large.csv`, content)
    const execution = newExecution()
    expect(await start(landed, execution, changed)).toMatchObject({ outcome: 'moving' })
    expect(await unfinishedUploads()).toHaveLength(1)
    const failure = { Error: 'Error', Cause: 'died' }
    await startImport({ ...dependencies, ...changed }, { event: landed, execution, failure })
    expect(await unfinishedUploads()).toEqual([])
    expect(await start(landed, newExecution())).toMatchObject({ outcome: 'started' })
  })

  it('is not mixed with another content, where the bucket keeps no versions', async () => {
    const changed = { transfer: transferOf('NONE') }
    await service.s3.send(new CreateBucketCommand({ Bucket: 'plain' })).catch(() => undefined)
    const object = { Bucket: 'plain', Key: `${bucketId}/large.csv` }
    await service.s3.send(new PutObjectCommand({ ...object, Body: content }))
    const landed = { bucket: object.Bucket, key: object.Key }
    const execution = newExecution()
    expect(await start(landed, execution, changed)).toMatchObject({ outcome: 'moving' })
    await service.s3.send(new PutObjectCommand({ ...object, Body: contentOf('y') }))
    const move = { from: 1, to: 1 }
    await expect(
      startImport({ ...dependencies, ...changed }, { event: landed, execution, move }),
    ).rejects.toMatchObject({ code: 'source.changed' })
    for (const { Key, UploadId } of await unfinishedUploads())
      await service.s3.send(new AbortMultipartUploadCommand({ Bucket: service.filesBucket, Key, UploadId }))
  })
})

describe('a source that changes under the transfer', () => {
  it.each([
    ['copied', () => service.filesBucket],
    ['moved', () => NO_BUCKET_OF_OURS],
  ])('in a bucket without versions is noticed when it is %s', async (_, ownFilesBucket) => {
    const transfer = createTransfer({ s3: service.s3, ownFilesBucket: ownFilesBucket(), s3With })
    await service.s3.send(new CreateBucketCommand({ Bucket: 'plain' })).catch(() => undefined)
    const object = { Bucket: 'plain', Key: `${bucketId}/orders.csv` }
    await service.s3.send(new PutObjectCommand({ ...object, Body: 'id\n1\n' }))
    const changing: StorageClient = {
      ...storage,
      prepareFile: async file => {
        const prepared = await storage.prepareFile(file)
        await service.s3.send(new PutObjectCommand({ ...object, Body: 'id\n2\n' }))
        return prepared
      },
    }
    const landed = { bucket: 'plain', key: object.Key }
    const error = await start(landed, newExecution(), { storage: changing, transfer }).catch(
      (error: unknown) => error,
    )
    expect(error).toBeInstanceOf(UserError)
    expect(error).toMatchObject({ code: 'source.changed' })
    expect((await service.s3.send(new HeadObjectCommand(object))).ContentLength).toBe(5)
  })
})
