import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import {
  GetBucketAclCommand,
  GetObjectAclCommand,
  GetObjectTaggingCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { describe, expect, it } from 'vitest'
import { startTestS3, testRoot } from '../../support/embedded-s3.ts'
import { untilEnd } from '../../support/until-end.ts'
import { codeOf, sendSigned } from './raw-client.ts'

/* What standard tools read besides objects. */
const box = { Bucket: 'box', Key: 'there' }
const s3 = await untilEnd(startTestS3())
const { client } = s3
await s3.s3.createBucket('box')
await s3.s3.createBucket('with-acls', { acceptsAcls: true })
await client.send(new PutObjectCommand({ ...box, Body: 'hello', ChecksumAlgorithm: 'SHA256' }))

describe('a bucket', () => {
  it('belongs to the account', async () => {
    const acl = await client.send(new GetBucketAclCommand({ Bucket: 'box' }))
    expect(acl.Grants).toEqual([
      { Grantee: { ...acl.Owner, Type: 'CanonicalUser' }, Permission: 'FULL_CONTROL' },
    ])
    expect(await client.send(new GetObjectAclCommand(box))).toMatchObject({ Grants: acl.Grants })
  })
})

describe('ACLs', () => {
  it.each([
    ['box', 'private', 'AccessControlListNotSupported'],
    ['box', 'bucket-owner-full-control', ''],
    ['box', 'public-read', 'NotImplemented'],
    ['with-acls', 'private', ''],
    ['with-acls', 'public-read', 'NotImplemented'],
  ])('%s: an object with %s is %s', async (bucket, acl, code) => {
    const headers = { 'x-amz-acl': acl }
    for (const [method, path] of [
      ['PUT', `/${bucket}/acl`],
      ['POST', `/${bucket}/acl?uploads`],
    ] as const)
      expect(codeOf(await sendSigned(s3.s3.endpoint, { method, path, headers })) ?? '').toBe(code)
  })

  it.each([
    [{ 'x-amz-acl': 'private' }, ''],
    [{ 'x-amz-acl': 'public-read' }, 'NotImplemented'],
    [{ 'x-amz-object-ownership': 'ObjectWriter' }, 'NotImplemented'],
  ])('a new bucket with %o is %s', async (headers, code) => {
    const reply = await sendSigned(s3.s3.endpoint, { method: 'PUT', path: '/new-one', headers })
    expect(codeOf(reply) ?? '').toBe(code)
  })
})

describe('an object', () => {
  it('has no tags, and says so', async () => {
    expect((await client.send(new GetObjectTaggingCommand(box))).TagSet).toEqual([])
  })

  it('is listed without a word about archives', async () => {
    // ListObjectsV2, "x-amz-optional-object-attributes": `RestoreStatus` of archived objects, of which there are none.
    const listed = await sendSigned(s3.s3.endpoint, {
      method: 'GET',
      path: '/box?list-type=2',
      headers: { 'x-amz-optional-object-attributes': 'RestoreStatus' },
    })
    expect(listed.status).toBe(200)
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
