import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { afterAll, expect, it, vi } from 'vitest'
import { assumeRole } from '#lib/cloud/assume-role.ts'
import { giveHost } from '#lib/cloud/host.ts'
import type { RoleKey } from '#lib/cloud/roles.ts'
import { startTestS3, testRoot } from '#support/embedded-s3.ts'
import { otherImplementation } from '#support/other-implementation.ts'
import { untilEnd } from '#support/until-end.ts'

/*
 * What functions ask for besides items, machines, keys and secrets: sessions of a role that reach a part of a bucket, of both adapters.
 * `npm run contracts` runs it on moto, which looks at no policy.
 */

const roleArn = 'arn:aws:iam::000000000000:role/files'
const Bucket = 'millrace-test-sessions'
const key = `arn:aws:s3:::${Bucket}/allowed/*`

const policyOf = (Action: string, Resource: string) => ({
  Version: '2012-10-17' as const,
  Statement: [{ Effect: 'Allow' as const, Action, Resource }],
})

const startOurs = async () => {
  const roles = new Map([[roleArn, policyOf('s3:*', '*')]])
  const { s3, close } = await startTestS3({ roles })
  giveHost({ assumeRole: s3.assumeRole })
  return { settings: { endpoint: s3.endpoint, region: 'us-east-1', credentials: testRoot }, close }
}

afterAll(() => {
  giveHost({})
  vi.unstubAllEnvs()
})

const openThose = (endpoint: string): void => {
  vi.stubEnv('AWS_ENDPOINT_URL', endpoint)
  vi.stubEnv('AWS_REGION', 'us-east-1')
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test-secret')
}

const other = otherImplementation('MILLRACE_TEST_AWS')
if (other) openThose(other.settings.endpoint)
const service = other ?? (await untilEnd(startOurs()))

const assume = async (policy = JSON.stringify(policyOf('s3:*Object', key))): Promise<RoleKey> => {
  const found = await assumeRole({ roleArn, sessionName: 'file-1', policy })
  if (found === undefined) throw new Error('The policy is too large')
  return found
}
const s3With = (credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string }) =>
  new S3Client({ ...service.settings, credentials, forcePathStyle: true, maxAttempts: 1 })

it('a session lasts an hour', async () => {
  const { accessKeyId, expiration } = await assume()
  expect(Math.abs((expiration.getTime() - Date.now()) / 1000 - 3600)).toBeLessThan(60)
  expect(accessKeyId).toMatch(/^ASIA[A-Z0-9]{16}$/)
})

it('a session reads and writes what its policy allows, and nothing else', async () => {
  const s3 = await untilEnd(s3With(testRoot))
  await s3.send(new CreateBucketCommand({ Bucket }))
  const session = await untilEnd(s3With(await assume()))
  await session.send(new PutObjectCommand({ Bucket, Key: 'allowed/a', Body: 'text' }))
  const { Body } = await session.send(new GetObjectCommand({ Bucket, Key: 'allowed/a' }))
  expect(await Body?.transformToString()).toBe('text')
  const other = session.send(new GetObjectCommand({ Bucket, Key: 'other' }))
  await expect(other).rejects.toMatchObject({ name: 'AccessDenied' })
})

it('a session is refused with another token', async () => {
  const { sessionToken } = await assume()
  const session = await untilEnd(s3With({ ...(await assume()), sessionToken }))
  const read = session.send(new GetObjectCommand({ Bucket, Key: 'a' }))
  await expect(read).rejects.toMatchObject({ name: 'InvalidToken' })
})

it('a policy of 2,049 characters is too large', async () => {
  const policy = JSON.stringify(policyOf('s3:*', key)).padEnd(2049)
  expect(await assumeRole({ roleArn, sessionName: 'file-1', policy })).toBeUndefined()
})

it('a policy that is no JSON is refused', async () => {
  await expect(assume('{')).rejects.toThrow()
})
