import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import {
  AssumeRoleCommand,
  type AssumeRoleCommandInput,
  type Credentials,
  GetCallerIdentityCommand,
  STSClient,
} from '@aws-sdk/client-sts'
import { expect, it } from 'vitest'
import { startTestS3, testRoot } from '#support/embedded-s3.ts'
import { otherImplementation } from '#support/other-implementation.ts'
import { untilEnd } from '#support/until-end.ts'
import { refusal } from './refusal.ts'

/*
 * What functions ask of STS: sessions of a role that reach a part of a bucket. `npm run contracts` runs it on moto, which has its sessions
 * and S3 at one address, as the embedded cloud has, and looks at no policy.
 */

const RoleArn = 'arn:aws:iam::000000000000:role/files'
const Bucket = 'millrace-test-sessions'
const key = `arn:aws:s3:::${Bucket}/allowed/*`

const policyOf = (Action: string, Resource: string) => ({
  Version: '2012-10-17' as const,
  Statement: [{ Effect: 'Allow' as const, Action, Resource }],
})

const startOurs = async () => {
  const roles = new Map([[RoleArn, policyOf('s3:*', '*')]])
  const { s3, close } = await startTestS3({ roles })
  return { settings: { endpoint: s3.endpoint, region: 'us-east-1', credentials: testRoot }, close }
}

const service = otherImplementation('MILLRACE_TEST_AWS') ?? (await untilEnd(startOurs()))
const sts = await untilEnd(new STSClient({ ...service.settings, maxAttempts: 1 }))

const assume = (more: Partial<AssumeRoleCommandInput> = {}) =>
  sts.send(new AssumeRoleCommand({ RoleArn, RoleSessionName: 'file-1', ...more }))
const s3With = (credentials: Keys | undefined) =>
  new S3Client({
    ...service.settings,
    ...(credentials && { credentials }),
    forcePathStyle: true,
    maxAttempts: 1,
  })
const keysOf = (credentials: Credentials | undefined) => ({
  accessKeyId: credentials?.AccessKeyId ?? '',
  secretAccessKey: credentials?.SecretAccessKey ?? '',
  sessionToken: credentials?.SessionToken ?? '',
})
type Keys = { accessKeyId: string; secretAccessKey: string; sessionToken?: string }

it('a session says until when it counts, and who it is', async () => {
  const { Credentials, AssumedRoleUser } = await assume({ DurationSeconds: 900 })
  const seconds = ((Credentials?.Expiration?.getTime() ?? 0) - Date.now()) / 1000
  expect(Math.abs(seconds - 900)).toBeLessThan(60)
  expect(Credentials?.AccessKeyId).toMatch(/^ASIA[A-Z0-9]{16}$/)
  const user = 'arn:aws:sts::000000000000:assumed-role/files/file-1'
  expect(AssumedRoleUser).toEqual({ Arn: user, AssumedRoleId: expect.stringMatching(/^AROA\w+:file-1$/) })
  const session = await untilEnd(new STSClient({ ...service.settings, credentials: keysOf(Credentials) }))
  expect(await session.send(new GetCallerIdentityCommand({}))).toMatchObject({
    Account: '000000000000',
    Arn: user,
  })
})

it('a session reads and writes what its policy allows, and nothing else', async () => {
  const s3 = await untilEnd(s3With(service.settings.credentials))
  await s3.send(new CreateBucketCommand({ Bucket }))
  const { Credentials } = await assume({ Policy: JSON.stringify(policyOf('s3:*Object', key)) })
  const session = await untilEnd(s3With(keysOf(Credentials)))
  await session.send(new PutObjectCommand({ Bucket, Key: 'allowed/a', Body: 'text' }))
  const { Body } = await session.send(new GetObjectCommand({ Bucket, Key: 'allowed/a' }))
  expect(await Body?.transformToString()).toBe('text')
  expect(await refusal(session.send(new GetObjectCommand({ Bucket, Key: 'other' })))).toBe('AccessDenied')
})

it('a session is refused with another token', async () => {
  const [{ Credentials }, { Credentials: other }] = [await assume(), await assume()]
  const session = await untilEnd(s3With({ ...keysOf(Credentials), sessionToken: other?.SessionToken ?? '' }))
  expect(await refusal(session.send(new GetObjectCommand({ Bucket, Key: 'a' })))).toBe('InvalidToken')
})

it.each<[string, Partial<AssumeRoleCommandInput>, string]>([
  ['a session of ten minutes', { DurationSeconds: 600 }, 'ValidationError'],
  ['a session of a day', { DurationSeconds: 86_400 }, 'ValidationError'],
  ['a name with a slash', { RoleSessionName: 'file/1' }, 'ValidationError'],
  [
    'a policy of 2,049 characters',
    { Policy: JSON.stringify(policyOf('s3:*', key)).padEnd(2049) },
    'ValidationError',
  ],
  ['a policy that is no JSON', { Policy: '{' }, 'MalformedPolicyDocumentException'],
])('%s is refused', async (_, asked, code) => {
  expect(await refusal(assume(asked))).toBe(code)
})
