import { describe, expect, it } from 'vitest'
import { startTableRoutes } from '#support/table-routes.ts'

const { service, newName, create } = await startTableRoutes()

describe('the manifest of a sliced file', () => {
  const failureOf = async (write: (key: string) => Promise<unknown>) => {
    const { body: file } = await service.call('POST', '/v2/storage/files/prepare', {
      name: 'a.csv',
      isSliced: 1,
      federationToken: 1,
    })
    await write(file.uploadParams.key)
    const { body: job } = await create({ name: newName(), dataFileId: file.id, columns: ['a'] })
    return job.error?.code
  }
  const put = async (key: string, body: string) => {
    const { PutObjectCommand } = await import('@aws-sdk/client-s3')
    await service.s3.send(
      new PutObjectCommand({
        Bucket: service.filesBucket,
        Key: key,
        Body: body,
        ContentLength: Buffer.byteLength(body),
      }),
    )
  }

  it('must be there', async () => {
    expect(await failureOf(async () => {})).toBe('storage.manifestFileMissing')
  })

  it.each(['', 'x', '[]', '{"entries":[{}]}'])('must be a manifest, not %j', async content => {
    expect(await failureOf(key => put(`${key}manifest`, content))).toBe('storage.manifestFileInvalid')
  })

  it.each([
    's3://files/exp-15/7/secret.csv',
    's3://tables/tables/1/1/part.parquet',
    's3://files/',
    'https://example.com/a.csv',
    '/etc/passwd',
  ])('may not name %s', async url => {
    expect(await failureOf(key => put(`${key}manifest`, JSON.stringify({ entries: [{ url }] })))).toBe(
      'storage.unauthorizedAccess',
    )
  })

  it('may not name a slice that is not there', async () => {
    const code = await failureOf(key =>
      put(`${key}manifest`, JSON.stringify({ entries: [{ url: `s3://files/${key}part0` }] })),
    )
    expect(code).toBe('storage.importFileMissing')
  })

  it('may hold keys that mean nothing here', async () => {
    const code = await failureOf(async key => {
      await put(`${key}part0`, '1\n')
      await put(
        `${key}manifest`,
        JSON.stringify({ meta: 1, entries: [{ url: `s3://files/${key}part0`, mandatory: true }] }),
      )
    })
    expect(code).toBeUndefined()
  })
})
