import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CopyObjectCommand, DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { describe, expect, it } from 'vitest'
import type { ObjectCreatedEvent } from '#local/s3/events/object-created.ts'
import { startTestS3, type TestS3 } from '../../support/embedded-s3.ts'
import { eventually } from '../../support/eventually.ts'

/** A server whose receiver records accepted events; `isWilling` decides whether it accepts one. */
const withReceiver = async (
  work: (context: { s3: TestS3; events: ObjectCreatedEvent[]; calls: () => number }) => Promise<void>,
  { isWilling = () => true, dataDir }: { isWilling?: (call: number) => boolean; dataDir?: string } = {},
): Promise<void> => {
  const events: ObjectCreatedEvent[] = []
  let calls = 0
  const onObjectCreated = async (event: ObjectCreatedEvent): Promise<void> => {
    if (!isWilling(calls++)) throw new Error('Not now')
    events.push(event)
  }
  const s3 = await startTestS3({ onObjectCreated, ...(dataDir === undefined ? {} : { dataDir }) })
  try {
    await s3.s3.createBucket('landing', { eventBridge: true, versioned: true })
    await s3.s3.createBucket('quiet')
    await work({ s3, events, calls: () => calls })
  } finally {
    await s3.close()
  }
}
const put = (s3: TestS3, Key: string, Bucket = 'landing') =>
  s3.client.send(new PutObjectCommand({ Bucket, Key, Body: 'content' }))

describe('the Object Created event', () => {
  it('has the shape that EventBridge delivers', async () => {
    await withReceiver(async ({ s3, events }) => {
      const { ETag, VersionId } = await put(s3, 'in/a b+ü.csv')
      await eventually(() => expect(events).toHaveLength(1))
      expect(events[0]).toEqual({
        version: '0',
        id: expect.stringMatching(/^[\da-f-]{36}$/),
        'detail-type': 'Object Created',
        source: 'aws.s3',
        account: '000000000000',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        region: 'us-east-1',
        resources: ['arn:aws:s3:::landing'],
        detail: {
          version: '0',
          bucket: { name: 'landing' },
          object: {
            key: 'in/a b+ü.csv',
            size: 7,
            etag: ETag?.replaceAll('"', ''),
            'version-id': VersionId,
            sequencer: expect.stringMatching(/^[\dA-F]{18}$/),
          },
          'request-id': expect.any(String),
          requester: '000000000000',
          'source-ip-address': '127.0.0.1',
          reason: 'PutObject',
        },
      })
    })
  })

  it('is sent for every way of creating an object, and for no other change', async () => {
    await withReceiver(async ({ s3, events }) => {
      await put(s3, 'a')
      await s3.client.send(new CopyObjectCommand({ Bucket: 'landing', Key: 'b', CopySource: 'landing/a' }))
      const body = Buffer.alloc(6 * 1024 ** 2)
      await new Upload({ client: s3.client, params: { Bucket: 'landing', Key: 'c', Body: body } }).done()
      await s3.client.send(new DeleteObjectCommand({ Bucket: 'landing', Key: 'a' }))
      await put(s3, 'd', 'quiet')
      await put(s3, 'e')
      await eventually(() => expect(events).toHaveLength(4))
      expect(events.map(({ detail }) => [detail.object.key, detail.reason]).sort()).toEqual([
        ['a', 'PutObject'],
        ['b', 'CopyObject'],
        ['c', 'CompleteMultipartUpload'],
        ['e', 'PutObject'],
      ])
    })
  })

  it('has a sequencer that grows with the commits of a key', async () => {
    await withReceiver(async ({ s3, events }) => {
      const ids: (string | undefined)[] = []
      for (let i = 0; i < 20; i++) ids.push((await put(s3, 'same')).VersionId)
      await eventually(() => expect(events).toHaveLength(20))
      const bySequencer = events.toSorted((a, b) =>
        a.detail.object.sequencer < b.detail.object.sequencer ? -1 : 1,
      )
      expect(bySequencer.map(({ detail }) => detail.object['version-id'])).toEqual(ids)
    })
  })

  it('is delivered again until it is accepted', async () => {
    await withReceiver(
      async ({ s3, events, calls }) => {
        await put(s3, 'refused twice')
        await eventually(() => expect(events).toHaveLength(1))
        expect(calls()).toBe(3)
      },
      { isWilling: call => call >= 2 },
    )
  })

  it('is delivered for each of many objects while some are refused', async () => {
    await withReceiver(
      async ({ s3, events }) => {
        await Promise.all(Array.from({ length: 100 }, (_, i) => put(s3, `many/${i}`)))
        await eventually(() => expect(events).toHaveLength(100))
        expect(new Set(events.map(({ detail }) => detail.object.key)).size).toBe(100)
      },
      { isWilling: call => call % 3 !== 0 },
    )
  })

  it('is delivered once at the next start when nobody accepted it', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'events-'))
    try {
      await withReceiver(
        async ({ s3, calls }) => {
          await put(s3, 'waiting')
          await eventually(() => expect(calls()).toBeGreaterThanOrEqual(1))
        },
        { isWilling: () => false, dataDir },
      )
      await withReceiver(
        async ({ events }) => {
          await eventually(() => expect(events.map(({ detail }) => detail.object.key)).toEqual(['waiting']))
        },
        { dataDir },
      )
      await withReceiver(
        async ({ s3, events }) => {
          await put(s3, 'next')
          await eventually(() => expect(events.map(({ detail }) => detail.object.key)).toEqual(['next']))
        },
        { dataDir },
      )
    } finally {
      await rm(dataDir, { recursive: true })
    }
  })
})
