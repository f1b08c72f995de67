import { type AssumeRoleCommand, PackedPolicyTooLargeException, type STSClient } from '@aws-sdk/client-sts'
import { expect, it } from 'vitest'
import { createTableAccess } from '#functions/storage-api/services/table-access.ts'
import { NONE } from '#lib/none.ts'
import { withStorage } from '#support/storage-service.ts'

const service = await withStorage()

/** Table access whose STS finds these policies too large once they are packed. */
const accessThatRefuses = (tooLarge: readonly string[], asked: string[] = []) => {
  const send = async ({ input }: AssumeRoleCommand) => {
    const policy = input.Policy ?? ''
    asked.push(policy)
    if (tooLarge.includes(policy)) throw new PackedPolicyTooLargeException({ message: '', $metadata: {} })
    const key = { AccessKeyId: 'ASIA1', SecretAccessKey: 's', SessionToken: 't', Expiration: new Date(0) }
    return { Credentials: key, $metadata: {} }
  }
  return createTableAccess({
    s3: service.s3,
    sts: { send: send as STSClient['send'] }, // One of its overloads.
    bucket: service.tablesBucket,
    region: 'us-east-1',
    roleArn: 'arn:aws:iam::123456789012:role/tables',
    dataKeyArn: NONE,
    s3Endpoint: undefined,
  })
}

it('a policy that STS cannot pack is followed by one that names whole tables, and by a refusal', async () => {
  const asked: string[] = []
  const found = await accessThatRefuses(['jobs'], asked).credentials('table-1', ['jobs', 'tables'])
  expect(found).toMatchObject({ 's3.access-key-id': 'ASIA1' })
  expect(asked).toEqual(['jobs', 'tables'])
  expect(await accessThatRefuses(['jobs', 'tables']).credentials('t', ['jobs', 'tables'])).toBeUndefined()
})
