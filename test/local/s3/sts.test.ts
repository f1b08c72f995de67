import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
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
import { AssumeRoleCommand, GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PolicyDocument, TemporaryCredentials } from '#local/s3/server.ts'
import { startTestS3, type TestS3 } from '../../support/embedded-s3.ts'
import { codeOf, send, sendSigned } from './raw-client.ts'

const arn = (name: string): string => `arn:aws:iam::000000000000:role/${name}`
const everything: PolicyDocument = { Statement: { Effect: 'Allow', Action: '*', Resource: '*' } }
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
    { Effect: 'Allow', Action: 'sts:AssumeRole', Resource: arn('files') },
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
  s3.s3.assumeRole({ roleArn: arn(name), sessionName: 'test', ...(policy === undefined ? {} : { policy }) })
const stsOf = (credentials: TemporaryCredentials) =>
  new STSClient({ endpoint: s3.s3.endpoint, region: 'us-east-1', credentials, maxAttempts: 1 })

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
      Statement: { Effect: 'Allow', Action: 's3:GetObject', Resource: 'arn:aws:s3:::box/in/*' },
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
      Statement: { Effect: 'Allow', Action: 's3:DeleteObject', Resource: 'arn:aws:s3:::box/out/*' },
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
      Statement: { Effect: 'Allow', Action: 's3:PutObject', Resource: 'arn:aws:s3:::box/in/only' },
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

  it('is refused without its token, or with another', async () => {
    const { accessKeyId, secretAccessKey } = await assume('files')
    const { sessionToken } = await assume('files')
    const get = { method: 'GET', path: '/box/in/a' }
    const without = await sendSigned(s3.s3.endpoint, get, { credentials: { accessKeyId, secretAccessKey } })
    expect(codeOf(without)).toBe('InvalidAccessKeyId')
    const other = await sendSigned(s3.s3.endpoint, get, {
      credentials: { accessKeyId, secretAccessKey, sessionToken },
    })
    expect(codeOf(other)).toBe('InvalidToken')
  })

  it('survives a restart, and expires', async () => {
    const session = await assume('files')
    const old = await assume('files')
    await s3.close()
    // Sets the expiry of one session into the past.
    const database = new DatabaseSync(join(dataDir, 's3.db'))
    database
      .prepare('UPDATE sessions SET expires = ? WHERE access_key_id = ?')
      .run(Date.now() - 1000, old.accessKeyId)
    database.close()
    s3 = await startTestS3({ roles, dataDir })
    const get = new GetObjectCommand({ Bucket: 'box', Key: 'in/a' })
    await s3.clientOf(session).send(get)
    await expect(s3.clientOf(old).send(get)).rejects.toMatchObject({
      name: 'ExpiredToken',
      $metadata: { httpStatusCode: 400 },
    })
    await expect(stsOf(old).send(new GetCallerIdentityCommand({}))).rejects.toMatchObject({
      name: 'ExpiredToken',
    })
  })

  it('follows its role when that changes or is removed', async () => {
    roles.set(arn('brief'), everything)
    const client = s3.clientOf(await assume('brief'))
    const get = () => client.send(new GetObjectCommand({ Bucket: 'box', Key: 'in/a' }))
    await get()
    roles.set(arn('brief'), { Statement: { Effect: 'Allow', Action: 's3:PutObject', Resource: '*' } })
    await expect(get()).rejects.toMatchObject({ name: 'AccessDenied' })
    roles.delete(arn('brief'))
    await expect(get()).rejects.toMatchObject({ name: 'AccessDenied' })
  })
})

describe('STS', () => {
  it('says who calls', async () => {
    expect(await s3.sts.send(new GetCallerIdentityCommand({}))).toMatchObject({
      Account: '000000000000',
      Arn: 'arn:aws:iam::000000000000:root',
    })
    const session = await stsOf(await assume('worker')).send(new GetCallerIdentityCommand({}))
    expect(session.Arn).toBe('arn:aws:sts::000000000000:assumed-role/worker/test')
  })

  it('issues credentials of a role, for an hour by default', async () => {
    const { Credentials, AssumedRoleUser } = await s3.sts.send(
      new AssumeRoleCommand({ RoleArn: arn('files'), RoleSessionName: 'me' }),
    )
    const seconds = ((Credentials?.Expiration?.getTime() ?? 0) - Date.now()) / 1000
    expect(Math.abs(seconds - 3600)).toBeLessThan(60)
    expect(AssumedRoleUser?.Arn).toBe('arn:aws:sts::000000000000:assumed-role/files/me')
    const client = s3.clientOf({
      accessKeyId: Credentials?.AccessKeyId ?? '',
      secretAccessKey: Credentials?.SecretAccessKey ?? '',
      sessionToken: Credentials?.SessionToken ?? '',
    })
    await client.send(new GetObjectCommand({ Bucket: 'box', Key: 'in/a' }))
  })

  it('lets a session assume the roles that its own role allows, for an hour at most', async () => {
    const sts = stsOf(await assume('worker'))
    const take = (RoleArn: string, DurationSeconds?: number) =>
      sts.send(new AssumeRoleCommand({ RoleArn, RoleSessionName: 'chained', DurationSeconds }))
    await take(arn('files'), 3600)
    await expect(take(arn('files'), 3601)).rejects.toMatchObject({ name: 'ValidationError' })
    await expect(take(arn('worker'))).rejects.toMatchObject({ name: 'AccessDenied' })
  })

  it.each<[string, object, string]>([
    ['a role that is not there', { RoleArn: arn('nobody') }, 'AccessDenied'],
    ['an ARN that is none', { RoleArn: 'arn:aws:s3:::box-and-some-more' }, 'ValidationError'],
    ['a session name with spaces', { RoleSessionName: 'a b' }, 'ValidationError'],
    ['less than 15 minutes', { DurationSeconds: 899 }, 'ValidationError'],
    ['more than 12 hours', { DurationSeconds: 43_201 }, 'ValidationError'],
    ['a policy that is no JSON', { Policy: '{' }, 'MalformedPolicyDocumentException'],
    [
      'a policy that cannot be enforced',
      { Policy: JSON.stringify({ Statement: { Effect: 'Allow', NotAction: 'x', Resource: '*' } }) },
      'MalformedPolicyDocumentException',
    ],
    ['a policy that is too long', { Policy: `{"Id":"${'x'.repeat(2048)}"}` }, 'ValidationError'],
    ['a parameter it does not know', { ExternalId: 'abc' }, 'ValidationError'],
  ])('refuses %s', async (_, input, name) => {
    const command = new AssumeRoleCommand({ RoleArn: arn('files'), RoleSessionName: 'me', ...input })
    await expect(s3.sts.send(command)).rejects.toMatchObject({ name })
  })

  it('refuses callers with error codes of STS', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const ask = {
      method: 'POST',
      path: '/',
      headers: form,
      body: 'Action=GetCallerIdentity&Version=2011-06-15',
    }
    expect(codeOf(await send(s3.s3.endpoint, ask))).toBe('MissingAuthenticationToken')
    const sts = { service: 'sts' }
    expect((await sendSigned(s3.s3.endpoint, ask, sts)).status).toBe(200)
    const other = await sendSigned(s3.s3.endpoint, { ...ask, body: 'Action=GetFederationToken' }, sts)
    expect(codeOf(other)).toBe('InvalidAction')
    const stranger = { accessKeyId: 'AKIANOBODY', secretAccessKey: 'x' }
    expect(codeOf(await sendSigned(s3.s3.endpoint, ask, { ...sts, credentials: stranger }))).toBe(
      'InvalidClientTokenId',
    )
  })

  it('names what it cannot enforce in a role', async () => {
    // What a template could hold; the type would not let it through.
    const policy = {
      Statement: { Effect: 'Allow', NotAction: 's3:*', Resource: '*' },
    } as unknown as PolicyDocument
    roles.set(arn('odd'), policy)
    await expect(assume('odd')).rejects.toThrow('NotAction')
  })
})
