import { CreateBucketCommand, DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { beforeEach, describe, expect, it } from 'vitest'
import { objectKeyId, objectVersionId, progressItem, recordKey } from '#functions/start-import/key-records.ts'
import type { LandedObject } from '#lib/landed-object.ts'
import type { StorageClient } from '#lib/storage-client/storage-client.ts'
import { startImport } from '#support/told-import.ts'
import { untilEnd } from '#support/until-end.ts'
import { LANDING, startLanding, unreadable } from '../../support/landing.ts'

const KEYED = { incremental: '1', 'primary-key': 'id' }

let bucketId: string
let key: string
let buckets = 0

const landing = await untilEnd(startLanding())

beforeEach(() => {
  bucketId = `in.c-order${++buckets}`
  key = `${bucketId}/orders.csv`
})

const land = (content: string, metadata: Record<string, string> = KEYED) =>
  landing.land(key, content, metadata)

const rows = async (): Promise<string[]> => (await landing.rowsOf(`${bucketId}.orders`)).sort()

/** Fails as if the bytes of this version could not be read for now. */
const failingFor = ({ versionId }: LandedObject) => ({
  transfer: {
    ...landing.dependencies.transfer,
    start: async (...[source, file]: Parameters<typeof landing.dependencies.transfer.start>) => {
      if (source.versionId === versionId) throw new Error('AccessDenied')
      return landing.dependencies.transfer.start(source, file)
    },
  },
})

describe('a version that comes after newer ones were loaded', () => {
  it('is loaded below them, and says so', async () => {
    await landing.execute(await land('id,v\n1,a\n2,a\n3,a\n'))
    const late = await land('id,v\n1,b\n2,b\n')
    const newer = await land('id,v\n1,c\n')
    expect(await landing.execute(late, failingFor(late))).toMatchObject({ status: 'failed' })
    expect(await landing.execute(newer, failingFor(late))).toMatchObject({ status: 'succeeded' })
    expect(await rows()).toEqual(['1,c', '2,a', '3,a'])

    expect(await landing.execute(late)).toMatchObject({
      status: 'succeeded',
      result: { outcome: 'alreadyStarted', reloadedVersions: 1 },
    })
    expect(await rows()).toEqual(['1,c', '2,b', '3,a'])
    expect(landing.logged).toContain('late: newer versions are loaded again')
  })

  it('is superseded when one of them replaced the table', async () => {
    const late = await land('id,v\n1,a\n')
    const newer = await land('id,v\n2,b\n', {})
    await landing.execute(newer, failingFor(late))
    expect(await landing.execute(late)).toMatchObject({
      result: { outcome: 'superseded', by: newer.versionId },
    })
    expect(await rows()).toEqual(['2,b'])
  })

  it('replaces the table below them, when they were added to it', async () => {
    const late = await land('id\n1\n', {})
    const newer = await land('id\n2\n', { incremental: '1' })
    await landing.execute(newer, failingFor(late))
    await landing.execute(late)
    expect(await rows()).toEqual(['1', '2'])
  })

  it('is added once, where rows have no key', async () => {
    const late = await land('id\n1\n', { incremental: '1' })
    const newer = await land('id\n2\n', { incremental: '1' })
    await landing.execute(newer, failingFor(late))
    await landing.execute(late)
    expect(await landing.execute(late)).toMatchObject({ result: { reloadedVersions: 0 } })
    expect(await rows()).toEqual(['1', '2'])
  })

  it('fails when a newer one cannot be loaded again, and names it', async () => {
    await landing.execute(await land('id,v\n1,a\n'))
    const late = await land('id,v\n1,b\n')
    const newer = await land('id,v\n1,c\n')
    await landing.execute(newer, failingFor(late))
    // The table gets a column that the newer file does not have.
    const tableId = `${bucketId}.orders`
    let isAltered = false
    const storage: StorageClient = {
      ...landing.storage,
      createTable: async (creation, idempotencyKey) => {
        const job = await landing.storage.createTable(creation, idempotencyKey)
        if (isAltered) return job
        isAltered = true
        const { status } = await landing.service.call('POST', `/v2/storage/tables/${tableId}/columns`, {
          name: 'more',
        })
        expect(status).toBe(202)
        return job
      },
    }
    expect(await landing.execute(late, { storage })).toMatchObject({
      status: 'failed',
      cause: expect.stringContaining(String(newer.versionId)),
    })
  })

  it('fails when a newer one cannot be read again, which then is loaded on top of it', async () => {
    await landing.execute(await land('id,v\n1,a\n'))
    const late = await land('id,v\n1,b\n')
    const newer = await land('id,v\n1,c\n')
    await landing.execute(newer, failingFor(late))
    const s3 = unreadable(landing.service.s3, new Set([newer.versionId]))
    expect(await landing.execute(late, { s3 })).toMatchObject({
      status: 'failed',
      cause: expect.stringContaining(String(newer.versionId)),
    })
    expect(await rows()).toEqual(['1,b'])
    expect(await landing.execute(newer)).toMatchObject({ result: { outcome: 'started' } })
    expect(await rows()).toEqual(['1,c'])
  })
})

it('a version that could not be read is imported when it can be, though the newer one is of no use', async () => {
  const loaded = await land('id\n0\n', { incremental: '1' })
  await landing.execute(loaded)
  const unread = await land('id\n1\n', {})
  await land('id\n2\n', { incremental: 'perhaps' })
  await landing.execute(loaded, { s3: unreadable(landing.service.s3, new Set([unread.versionId])) })
  expect(await rows()).toEqual(['0'])
  expect(await landing.execute(unread)).toMatchObject({ result: { outcome: 'started' } })
  expect(await rows()).toEqual(['1'])
})

describe('a version that cannot be imported', () => {
  it.each([
    ['metadata that makes no sense', 'id,v\n1,b\n', { incremental: 'perhaps' }],
    ['a ragged row', 'id,v\n1\n', KEYED],
  ])(
    'because of %s: fails by itself, whoever is told first, and does not stop the newer one',
    async (_, content, metadata) => {
      const good = await land('id,v\n1,a\n2,a\n')
      const bad = await land(content, metadata)
      const newer = await land('id,v\n1,c\n')
      expect(await landing.execute(newer)).toMatchObject({ status: 'succeeded' })
      expect(await landing.execute(bad)).toMatchObject({ status: 'failed' })
      expect(await landing.execute(good)).toMatchObject({ result: { outcome: 'alreadyStarted' } })
      expect(await rows()).toEqual(['1,c', '2,a'])
    },
  )

  it('because it was deleted: fails by itself', async () => {
    const deleted = await land('id,v\n1,a\n')
    const newer = await land('id,v\n1,c\n')
    await landing.service.s3.send(
      new DeleteObjectCommand({ Bucket: LANDING, Key: key, VersionId: deleted.versionId }),
    )
    expect(await landing.execute(newer)).toMatchObject({ status: 'succeeded' })
    expect(await landing.execute(deleted)).toMatchObject({ status: 'failed', error: 'UserError' })
  })
})

describe('an execution that was stopped', () => {
  const stopInTheMiddle = async (event: LandedObject) => {
    const execution = landing.newExecution()
    const lease = { owner: execution, versionId: objectVersionId({ versionId: '', ...event }) }
    const held = await landing.records.takeLease(objectKeyId(event), lease)
    expect(held.outcome).toBe('taken')
    return execution
  }

  it('holds the key no longer: the next one begins at once', async () => {
    const event = await land('id,v\n1,a\n')
    const execution = await stopInTheMiddle(event)
    const other = { event, execution: landing.newExecution() }
    expect(await startImport(landing.dependencies, other)).toEqual({ outcome: 'duplicate', execution })
    landing.stop(execution)
    expect(await startImport(landing.dependencies, other)).toMatchObject({ outcome: 'started' })
  })

  it('accepts nothing more when its function is still at work', async () => {
    const event = await land('id,v\n1,a\n')
    const first = landing.newExecution()
    let second: unknown
    const slow: StorageClient = {
      ...landing.storage,
      prepareFile: async file => {
        const prepared = await landing.storage.prepareFile(file)
        landing.stop(first)
        second = await landing.execute(event)
        return prepared
      },
    }
    const late = startImport({ ...landing.dependencies, storage: slow }, { event, execution: first })
    await expect(late).rejects.toMatchObject({ name: 'TransientError', code: 'landing.leaseLost' })
    expect(second).toMatchObject({ status: 'succeeded' })
    const { body: jobs } = await landing.service.call('GET', '/v2/storage/jobs?limit=100')
    expect(jobs.filter(({ tableId }: { tableId: string }) => tableId === `${bucketId}.orders`)).toHaveLength(
      1,
    )
  })
})

describe('records', () => {
  const itemOf = (event: LandedObject) => recordKey(`version#${objectVersionId({ versionId: '', ...event })}`)

  it('that have expired do not let old versions be imported again', async () => {
    const append = { incremental: '1' }
    const first = await land('id\n1\n', append)
    const second = await land('id\n2\n', append)
    await landing.execute(first)
    await landing.execute(second)
    for (const event of [first, second]) await forget(event)
    expect(await landing.execute(second)).toMatchObject({ result: { outcome: 'alreadyImported' } })
    await landing.execute(await land('id\n3\n', append))
    const manyDaysLater = () => new Date(Date.now() + 401 * 24 * 60 * 60 * 1000)
    expect(await landing.execute(first, { now: manyDaysLater })).toMatchObject({
      result: { outcome: 'alreadyImported' },
    })
    expect(await rows()).toEqual(['1', '2', '3'])
  })

  /** As an expired record reads. */
  const forget = async (event: LandedObject) => {
    await landing.records.table.update(itemOf(event), { remove: Object.keys(progressItem.shape) })
  }
})

it('a person who names the key alone asks for the newest version, imported or not', async () => {
  const event = await land('id\n1\n', { incremental: '1' })
  await landing.execute(event)
  const again = await landing.execute({ bucket: LANDING, key })
  expect(again).toMatchObject({ result: { outcome: 'alreadyStarted' } })
  expect(await rows()).toEqual(['1'])
})

it.each(['an event', 'a person'])(
  'in a bucket without versions nothing is imported, and %s hears why',
  async who => {
    await landing.service.s3.send(new CreateBucketCommand({ Bucket: 'plain' })).catch(() => undefined)
    await landing.service.s3.send(new PutObjectCommand({ Bucket: 'plain', Key: key, Body: 'id\na\n' }))
    const event = { bucket: 'plain', key, ...(who === 'an event' && { versionId: 'null' }) }
    expect(await landing.execute(event)).toMatchObject({
      status: 'failed',
      error: 'UserError',
      cause: expect.stringMatching(/kept no versions.*Enable versioning/s),
    })
  },
)

it('a header that holds the names of `columns` is one on the first day and on the second', async () => {
  const metadata = { incremental: '1', columns: 'id,v' }
  await landing.execute(await land('id,v\n1,a\n', metadata))
  await landing.execute(await land('id,v\n2,b\n', metadata))
  expect(await rows()).toEqual(['1,a', '2,b'])
})
