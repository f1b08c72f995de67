import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import {
  DeleteBucketTaggingCommand,
  DeleteObjectTaggingCommand,
  GetBucketAclCommand,
  GetBucketEncryptionCommand,
  GetBucketOwnershipControlsCommand,
  GetBucketTaggingCommand,
  GetObjectAclCommand,
  GetObjectAttributesCommand,
  GetObjectTaggingCommand,
  GetPublicAccessBlockCommand,
  HeadObjectCommand,
  PutBucketTaggingCommand,
  PutObjectCommand,
  PutObjectTaggingCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { describe, expect, it } from 'vitest'
import { startTestS3, testRoot } from '../../support/embedded-s3.ts'
import { untilEnd } from '../../support/until-end.ts'
import { codeOf, sendSigned } from './raw-client.ts'

/* What standard tools read besides objects. */
const box = { Bucket: 'box', Key: 'there' }
const s3 = await untilEnd(startTestS3())
const client = await untilEnd(
  new S3Client({
    endpoint: s3.s3.endpoint,
    region: 'us-east-1',
    credentials: testRoot,
    forcePathStyle: true,
  }),
)
await s3.s3.createBucket('box')
await client.send(new PutObjectCommand({ ...box, Body: 'hello', ChecksumAlgorithm: 'SHA256' }))

describe('a bucket', () => {
  it.each([
    ['policy', 'NoSuchBucketPolicy'],
    ['policyStatus', 'NoSuchBucketPolicy'],
    ['lifecycle', 'NoSuchLifecycleConfiguration'],
    ['tagging', 'NoSuchTagSet'],
    ['website', 'NoSuchWebsiteConfiguration'],
    ['replication', 'ReplicationConfigurationNotFoundError'],
    ['object-lock', 'ObjectLockConfigurationNotFoundError'],
  ])('has no %s, and says so as S3 does', async (setting, code) => {
    const reply = await sendSigned(s3.s3.endpoint, { method: 'GET', path: `/box?${setting}` })
    expect([reply.status, codeOf(reply)]).toEqual([404, code])
    const missing = await sendSigned(s3.s3.endpoint, { method: 'GET', path: `/none?${setting}` })
    expect(codeOf(missing)).toBe('NoSuchBucket')
  })

  it('belongs to the account, is encrypted and not public', async () => {
    const acl = await client.send(new GetBucketAclCommand({ Bucket: 'box' }))
    expect(acl.Grants).toEqual([
      { Grantee: { ...acl.Owner, Type: 'CanonicalUser' }, Permission: 'FULL_CONTROL' },
    ])
    expect(await client.send(new GetObjectAclCommand(box))).toMatchObject({ Grants: acl.Grants })
    expect(await client.send(new GetBucketEncryptionCommand({ Bucket: 'box' }))).toMatchObject({
      ServerSideEncryptionConfiguration: {
        Rules: [{ ApplyServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }],
      },
    })
    expect(await client.send(new GetPublicAccessBlockCommand({ Bucket: 'box' }))).toMatchObject({
      PublicAccessBlockConfiguration: { BlockPublicAcls: true, RestrictPublicBuckets: true },
    })
  })
})

describe('the tags of a bucket', () => {
  it('are replaced, read and removed', async () => {
    const Bucket = 'tagged'
    await s3.s3.createBucket(Bucket)
    const TagSet = Array.from({ length: 12 }, (_, n) => ({ Key: `key ${n}`, Value: `${n}` }))
    await client.send(new PutBucketTaggingCommand({ Bucket, Tagging: { TagSet } }))
    expect(await client.send(new GetBucketTaggingCommand({ Bucket }))).toMatchObject({ TagSet })
    await client.send(new DeleteBucketTaggingCommand({ Bucket }))
    await expect(client.send(new GetBucketTaggingCommand({ Bucket }))).rejects.toMatchObject({
      name: 'NoSuchTagSet',
    })
  })
})

describe('ownership and ACLs', () => {
  const make = (ownership?: string, acl?: string) => {
    const headers = {
      ...(ownership && { 'x-amz-object-ownership': ownership }),
      ...(acl && { 'x-amz-acl': acl }),
    }
    return sendSigned(s3.s3.endpoint, {
      method: 'PUT',
      path: `/of-${(ownership ?? 'none').toLowerCase()}`,
      headers,
    })
  }
  const ownershipOf = async (Bucket: string) => {
    const { OwnershipControls } = await client.send(new GetBucketOwnershipControlsCommand({ Bucket }))
    return OwnershipControls?.Rules?.[0]?.ObjectOwnership
  }

  it('are as the bucket was made', async () => {
    expect(codeOf(await make('Mine'))).toBe('InvalidArgument')
    for (const ownership of ['BucketOwnerPreferred', 'ObjectWriter', 'BucketOwnerEnforced']) {
      expect((await make(ownership)).status).toBe(200)
      expect(await ownershipOf(`of-${ownership.toLowerCase()}`)).toBe(ownership)
    }
    expect(await ownershipOf('box')).toBe('BucketOwnerEnforced')
  })

  it.each([
    [undefined, 'public-read', 'InvalidBucketAclWithObjectOwnership'],
    ['BucketOwnerPreferred', 'public-read', 'InvalidBucketAclWithBlockPublicAccessError'],
    [undefined, 'mine', 'InvalidArgument'],
    [undefined, 'private', ''],
  ])('%s: a new bucket with %s is %s', async (ownership, acl, code) => {
    expect(codeOf(await make(ownership, acl)) ?? '').toBe(code)
  })

  it.each([
    ['box', 'public-read', 'AccessControlListNotSupported'],
    ['box', 'private', 'AccessControlListNotSupported'],
    ['box', 'bucket-owner-full-control', ''],
    ['box', 'mine', 'InvalidArgument'],
    ['of-bucketownerpreferred', 'public-read', 'AccessDenied'],
    ['of-bucketownerpreferred', 'private', ''],
  ])('%s: an object with %s is %s', async (bucket, acl, code) => {
    const headers = { 'x-amz-acl': acl }
    for (const [method, path] of [
      ['PUT', `/${bucket}/acl`],
      ['POST', `/${bucket}/acl?uploads`],
    ] as const)
      expect(codeOf(await sendSigned(s3.s3.endpoint, { method, path, headers })) ?? '').toBe(code)
  })
})

describe('an object', () => {
  it('has its tags replaced and removed, and stays the same otherwise', async () => {
    const before = await client.send(new HeadObjectCommand(box))
    const TagSet = [
      { Key: 'team', Value: 'data & more' },
      { Key: 'empty', Value: '' },
    ]
    await client.send(new PutObjectTaggingCommand({ ...box, Tagging: { TagSet } }))
    expect(await client.send(new GetObjectTaggingCommand(box))).toMatchObject({ TagSet })
    const after = await client.send(new HeadObjectCommand(box))
    expect([after.ETag, after.LastModified]).toEqual([before.ETag, before.LastModified])
    await client.send(new PutObjectTaggingCommand({ ...box, Tagging: { TagSet: [] } }))
    expect((await client.send(new GetObjectTaggingCommand(box))).TagSet).toEqual([])
    await client.send(new PutObjectTaggingCommand({ ...box, Tagging: { TagSet } }))
    await client.send(new DeleteObjectTaggingCommand(box))
    expect((await client.send(new GetObjectTaggingCommand(box))).TagSet).toEqual([])
  })

  it.each([
    [
      'more than ten',
      Array.from({ length: 11 }, (_, index) => ({ Key: `k${index}`, Value: 'v' })),
      'BadRequest',
    ],
    ['two of one name', [1, 2].map(() => ({ Key: 'k', Value: 'v' })), 'InvalidTag'],
    ['one without a name', [{ Key: '', Value: 'v' }], 'InvalidTag'],
    ['one of AWS', [{ Key: 'aws:x', Value: 'v' }], 'InvalidTag'],
  ])('refuses tags: %s', async (_case, TagSet, name) => {
    await expect(
      client.send(new PutObjectTaggingCommand({ ...box, Tagging: { TagSet } })),
    ).rejects.toMatchObject({ name })
  })

  it('says of its attributes those that are asked for', async () => {
    const asked = await client.send(
      new GetObjectAttributesCommand({
        ...box,
        ObjectAttributes: ['ETag', 'ObjectSize', 'Checksum', 'ObjectParts'],
      }),
    )
    expect(asked).toMatchObject({
      ETag: '5d41402abc4b2a76b9719d911017c592',
      ObjectSize: 5,
      Checksum: { ChecksumSHA256: 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=' },
    })
    expect(asked.StorageClass ?? asked.ObjectParts).toBeUndefined()
    // ListObjectsV2, "x-amz-optional-object-attributes": `RestoreStatus` of archived objects, of which there are none.
    const listed = await sendSigned(s3.s3.endpoint, {
      method: 'GET',
      path: '/box?list-type=2',
      headers: { 'x-amz-optional-object-attributes': 'RestoreStatus' },
    })
    expect(listed.status).toBe(200)
    const wrong = await sendSigned(s3.s3.endpoint, {
      method: 'GET',
      path: '/box/there?attributes',
      headers: { 'x-amz-object-attributes': 'Colour' },
    })
    expect(codeOf(wrong)).toBe('InvalidArgument')
  })

  it('is read by the SDK for C++, which names the version of the API', async () => {
    const headers = { 'x-amz-api-version': '2006-03-01' }
    const reply = await sendSigned(s3.s3.endpoint, { method: 'GET', path: '/box/there', headers })
    expect([reply.status, reply.body]).toEqual([200, 'hello'])
  })
})

const hasCurl = spawnSync('curl', ['--version']).status === 0
describe('curl --aws-sigv4', () => {
  const curl = (...args: string[]) => {
    const user = ['--user', `${testRoot.accessKeyId}:${testRoot.secretAccessKey}`]
    const signing = ['--aws-sigv4', 'aws:amz:us-east-1:s3', ...user]
    return promisify(execFile)('curl', ['-sSv', ...signing, ...args, `${s3.s3.endpoint}/box/there`])
  }

  it.skipIf(!hasCurl)('reads an object', async () => {
    expect((await curl('-H', 'x-amz-content-sha256: UNSIGNED-PAYLOAD')).stdout).toBe('hello')
  })

  it.skipIf(!hasCurl)('learns which header is missing where it sends none by itself', async () => {
    const { stdout, stderr } = await curl()
    const sent = /^> x-amz-content-sha256:/im.test(stderr)
    const refusal = 'Missing required header for this request: x-amz-content-sha256'
    expect(stdout).toContain(sent ? 'hello' : refusal)
  })
})
