import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { PolicyDocument } from '#local/s3/auth/policy-document.ts'
import { startTestS3, type TestS3 } from '../../support/embedded-s3.ts'
import { codeOf, sendSigned } from './raw-client.ts'

const arn = (name: string): string => `arn:aws:iam::000000000000:role/${name}`
const everything: PolicyDocument = { Statement: [{ Effect: 'Allow', Action: '*', Resource: '*' }] }
const worker: PolicyDocument = {
  Version: '2012-10-17',
  Statement: [
    { Effect: 'Allow', Action: ['s3:GetObject', 's3:PutObject'], Resource: 'arn:aws:s3:::box/in/*' },
    {
      Effect: 'Allow',
      Action: 's3:ListBucket',
      Resource: 'arn:aws:s3:::box',
      Condition: { StringLike: { 's3:prefix': 'in/*' } },
    },
  ],
}

let s3: TestS3
let dataDir: string
const roles = new Map([
  [arn('worker'), worker],
  [arn('files'), everything],
])
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'sts-'))
  s3 = await startTestS3({ roles, dataDir })
  await s3.s3.createBucket('box')
  for (const Key of ['in/a', 'out/b'])
    await s3.client.send(new PutObjectCommand({ Bucket: 'box', Key, Body: Key }))
})
afterAll(async () => {
  await s3.close()
  await rm(dataDir, { recursive: true })
})

const assume = (name: string, policy?: PolicyDocument) =>
  s3.s3.assumeRole({ roleArn: arn(name), ...(policy && { policy: JSON.stringify(policy) }) })

describe('a session', () => {
  it('may do what its role may, and nothing else', async () => {
    const client = s3.clientOf(await assume('worker'))
    const get = (Key: string) => client.send(new GetObjectCommand({ Bucket: 'box', Key }))
    expect(await (await get('in/a')).Body?.transformToString()).toBe('in/a')
    await client.send(new PutObjectCommand({ Bucket: 'box', Key: 'in/new', Body: 'x' }))
    await client.send(new ListObjectsV2Command({ Bucket: 'box', Prefix: 'in/' }))
    await client.send(new CopyObjectCommand({ Bucket: 'box', Key: 'in/copy', CopySource: 'box/in/a' }))

    const denied = { name: 'AccessDenied', $metadata: { httpStatusCode: 403 } }
    await expect(get('out/b')).rejects.toMatchObject(denied)
    await expect(client.send(new ListObjectsV2Command({ Bucket: 'box' }))).rejects.toMatchObject(denied)
    await expect(
      client.send(new ListObjectsV2Command({ Bucket: 'box', Prefix: 'out/' })),
    ).rejects.toMatchObject(denied)
    await expect(
      client.send(new PutObjectCommand({ Bucket: 'box', Key: 'in/x', ACL: 'private', Body: 'x' })),
    ).rejects.toMatchObject(denied)
    await expect(
      client.send(new CopyObjectCommand({ Bucket: 'box', Key: 'in/x', CopySource: 'box/out/b' })),
    ).rejects.toMatchObject(denied)
    const deleted = await client.send(
      new DeleteObjectsCommand({ Bucket: 'box', Delete: { Objects: [{ Key: 'in/a' }] } }),
    )
    expect(deleted.Errors).toMatchObject([{ Key: 'in/a', Code: 'AccessDenied' }])
  })

  it('learns that a key is missing where it may list it', async () => {
    const client = s3.clientOf(await assume('worker'))
    await expect(
      client.send(new GetObjectCommand({ Bucket: 'box', Key: 'in/missing' })),
    ).rejects.toMatchObject({ name: 'NoSuchKey', $metadata: { httpStatusCode: 404 } })
  })

  it('does not learn whether a key exists where it may not list it', async () => {
    const mayGet: PolicyDocument = {
      Statement: [{ Effect: 'Allow', Action: 's3:GetObject', Resource: 'arn:aws:s3:::box/in/*' }],
    }
    const client = s3.clientOf(await assume('worker', mayGet))
    await expect(
      client.send(new GetObjectCommand({ Bucket: 'box', Key: 'in/missing' })),
    ).rejects.toMatchObject({ name: 'AccessDenied' })
    await expect(
      client.send(new HeadObjectCommand({ Bucket: 'box', Key: 'in/missing' })),
    ).rejects.toMatchObject({ $metadata: { httpStatusCode: 403 } })
  })

  it('with the right to delete objects deletes no version of one, also among many', async () => {
    const mayDelete: PolicyDocument = {
      Statement: [{ Effect: 'Allow', Action: 's3:DeleteObject', Resource: 'arn:aws:s3:::box/out/*' }],
    }
    const client = s3.clientOf(await assume('files', mayDelete))
    const Objects = [{ Key: 'out/kept', VersionId: 'null' }, { Key: 'out/gone' }]
    const { Errors, Deleted } = await client.send(
      new DeleteObjectsCommand({ Bucket: 'box', Delete: { Objects } }),
    )
    expect(Errors).toMatchObject([{ Key: 'out/kept', Code: 'AccessDenied' }])
    expect(Deleted).toMatchObject([{ Key: 'out/gone' }])
  })

  it('may do only what both its own policy and its role allow', async () => {
    const narrow: PolicyDocument = {
      Statement: [{ Effect: 'Allow', Action: 's3:PutObject', Resource: 'arn:aws:s3:::box/in/only' }],
    }
    const client = s3.clientOf(await assume('worker', narrow))
    const put = (Key: string) => client.send(new PutObjectCommand({ Bucket: 'box', Key, Body: 'x' }))
    await put('in/only')
    await expect(put('in/onlyx')).rejects.toMatchObject({ name: 'AccessDenied' })
    await expect(client.send(new GetObjectCommand({ Bucket: 'box', Key: 'in/only' }))).rejects.toMatchObject({
      name: 'AccessDenied',
    })
    const { UploadId } = await client.send(
      new CreateMultipartUploadCommand({ Bucket: 'box', Key: 'in/only' }),
    )
    await client.send(
      new UploadPartCommand({ Bucket: 'box', Key: 'in/only', UploadId, PartNumber: 1, Body: 'x' }),
    )

    const wide = s3.clientOf(await assume('worker', everything))
    await expect(wide.send(new GetObjectCommand({ Bucket: 'box', Key: 'out/b' }))).rejects.toMatchObject({
      name: 'AccessDenied',
    })
  })

  it('is refused without its token', async () => {
    const { accessKeyId, secretAccessKey } = await assume('files')
    const get = { method: 'GET', path: '/box/in/a' }
    const without = await sendSigned(s3.s3.endpoint, get, { credentials: { accessKeyId, secretAccessKey } })
    expect(codeOf(without)).toBe('InvalidAccessKeyId')
  })

  it.each([
    [
      'another key',
      (key: string, token: string) => [key.replace(/.$/, last => (last === 'A' ? 'B' : 'A')), token],
    ],
    ['a changed token', (key: string, token: string) => [key, `${token.slice(0, 60)}AAAA${token.slice(64)}`]],
    ['a token that is cut off', (key: string, token: string) => [key, token.slice(0, 20)]],
    ["the account's key and a token", (_: string, token: string) => ['AKIATEST', token]],
  ])('is refused with %s', async (_, change) => {
    const { accessKeyId: key, secretAccessKey, sessionToken: token } = await assume('files')
    const [accessKeyId = '', sessionToken = ''] = change(key, token)
    const get = { method: 'GET', path: '/box/in/a' }
    const credentials = { accessKeyId, secretAccessKey, sessionToken }
    expect(codeOf(await sendSigned(s3.s3.endpoint, get, { credentials }))).toBe('InvalidToken')
  })

  it('lasts an hour', async () => {
    const credentials = await assume('files')
    const now = Date.now()
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      const get = () => sendSigned(s3.s3.endpoint, { method: 'GET', path: '/box/in/a' }, { credentials })
      vi.setSystemTime(now + 3_599_000)
      expect((await get()).status).toBe(200)
      vi.setSystemTime(now + 3_601_000)
      const refused = await get()
      expect([refused.status, codeOf(refused)]).toEqual([400, 'ExpiredToken'])
    } finally {
      vi.useRealTimers()
    }
  })

  it("survives a restart, follows its role, and ends with the account's key", async () => {
    const session = await assume('files')
    const startedWith = async (options: Parameters<typeof startTestS3>[0]) => {
      await s3.close()
      s3 = await startTestS3({ roles, dataDir, ...options })
      return s3.clientOf(session).send(new GetObjectCommand({ Bucket: 'box', Key: 'in/a' }))
    }
    await startedWith({})
    const denied = { name: 'AccessDenied' }
    const writer: PolicyDocument = {
      Statement: [{ Effect: 'Allow', Action: 's3:PutObject', Resource: '*' }],
    }
    await expect(startedWith({ roles: new Map([[arn('files'), writer]]) })).rejects.toMatchObject(denied)
    await expect(startedWith({ roles: new Map() })).rejects.toMatchObject(denied)
    const root = { accessKeyId: 'AKIATEST', secretAccessKey: 'another' }
    await expect(startedWith({ root })).rejects.toMatchObject({ name: 'InvalidToken' })
    await startedWith({})
  })
})

describe('a session that nobody gets', () => {
  it('is that of a role that is not there', async () => {
    await expect(assume('nobody')).rejects.toThrow(arn('nobody'))
  })

  it.each([
    ['a policy that is no JSON', '{', /JSON/],
    [
      'a policy that cannot be enforced',
      JSON.stringify({ Statement: [{ Effect: 'Allow', NotAction: 'x', Resource: '*' }] }),
      /NotAction/,
    ],
  ])('has %s', async (_, policy, message) => {
    await expect(s3.s3.assumeRole({ roleArn: arn('files'), policy })).rejects.toThrow(message)
  })

  it('has a role that cannot be enforced: nothing starts', async () => {
    // What a template could hold; the type would not let it through.
    const policy = {
      Statement: [{ Effect: 'Allow', NotAction: 's3:*', Resource: '*' }],
    } as unknown as PolicyDocument
    await expect(startTestS3({ roles: new Map([[arn('odd'), policy]]) })).rejects.toThrow('NotAction')
  })
})
