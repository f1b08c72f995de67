import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CreateBucketCommand, GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { describe, expect, it } from 'vitest'
import { uploadTable } from '#functions/run-extractor/leg-folder.ts'
import { csvLine } from '#lib/extractor/values/php/php-values.ts'
import { startTestS3, testRoot } from '#support/embedded-s3.ts'
import { type Fault, startFaultProxy } from '#support/fault-proxy.ts'
import { folderUntilEnd, untilEnd } from '#support/until-end.ts'

const bucket = 'files'

const folder = folderUntilEnd()
const store = await untilEnd(startTestS3())
const proxy = await untilEnd(startFaultProxy(store.s3.endpoint))
await store.client.send(new CreateBucketCommand({ Bucket: bucket }))

const header = csvLine(['id', 'note'])
const line = csvLine(['1', 'said "no"\nand left'])
const small = header + line
/** Of several parts. */
const large = header + line.repeat(Math.ceil((40 * 1024 ** 2) / line.length))

const upload = async (text: string, key: string): Promise<string> => {
  const path = join(folder, 'table.csv')
  await writeFile(path, text)
  const file = { id: 7, region: 'us-east-1', uploadParams: { bucket, key, credentials: testRoot } }
  const s3With = (region: string) =>
    new S3Client({ endpoint: proxy.url, region, forcePathStyle: true, credentials: testRoot })
  // What the upload reads of a prepared file.
  const storage = { prepareFile: async () => file } as unknown as Parameters<typeof uploadTable>[1]['storage']
  expect(await uploadTable({ path, name: 't' }, { storage, s3With })).toBe(7)
  const { Body } = await store.client.send(new GetObjectCommand({ Bucket: bucket, Key: key }))
  return (await Body?.transformToString()) ?? ''
}

describe('a table as a file', () => {
  it.each<Fault | undefined>([undefined, 'slowDown', 'resetBefore', 'resetAfter'])(
    'is stored whole, with the fault: %s',
    async fault => {
      for (const [size, text] of Object.entries({ small, large })) {
        proxy.decide(({ method }, number) => (method === 'PUT' && number <= 2 ? fault : undefined))
        expect((await upload(text, `${size}-${fault}.csv`)) === text).toBe(true)
      }
    },
  )

  it('is its header when it has no rows, and nothing when it has no columns', async () => {
    proxy.decide(() => undefined)
    for (const text of [header, '']) expect(await upload(text, 'empty.csv')).toBe(text)
  })
})
