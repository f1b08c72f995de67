import { expect, it } from 'vitest'
import { createTableAccess } from '#functions/storage-api/services/table-access.ts'
import { NONE } from '#lib/none.ts'
import { withStorage } from '#support/storage-service.ts'

const service = await withStorage()

/** Table access for whose sessions these policies are too large. */
const accessThatRefuses = (tooLarge: readonly string[], asked: string[] = []) =>
  createTableAccess({
    s3: service.s3,
    assumeRole: async ({ policy }) => {
      asked.push(policy)
      if (tooLarge.includes(policy)) return undefined
      return { accessKeyId: 'ASIA1', secretAccessKey: 's', sessionToken: 't', expiration: new Date(0) }
    },
    bucket: service.tablesBucket,
    region: 'us-east-1',
    roleArn: 'arn:aws:iam::123456789012:role/tables',
    dataKeyArn: NONE,
    s3Endpoint: undefined,
  })

it('a policy that is too large is followed by one that names whole tables, and by a refusal', async () => {
  const asked: string[] = []
  const found = await accessThatRefuses(['jobs'], asked).credentials('table-1', ['jobs', 'tables'])
  expect(found).toMatchObject({ 's3.access-key-id': 'ASIA1' })
  expect(asked).toEqual(['jobs', 'tables'])
  expect(await accessThatRefuses(['jobs', 'tables']).credentials('t', ['jobs', 'tables'])).toBeUndefined()
})
