import { open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { CreateBucketCommand, GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutSlices, uploadTable } from '#functions/run-extractor/leg-folder.ts'
import { formatCrc32 } from '#lib/combine-crc.ts'
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

const fileWith = async (text: string): Promise<string> => {
  const path = join(folder, 'table.csv')
  await writeFile(path, text)
  return path
}

const sliceList = async (cut: ReturnType<typeof cutSlices>) => {
  const slices = []
  for await (const slice of cut) slices.push(slice)
  return slices
}

describe('the slices of a table', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', '"', '\n', ',', '\r', 'ž') })
  const rows = fc.array(fc.tuple(cell, cell), { maxLength: 30 })

  it('are all of its records, whole and in order, without the header', async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({ min: 1, max: 60 }), async (cells, sliceBytes) => {
        const lines = cells.map(pair => csvLine(pair)).join('')
        const handle = await open(await fileWith(header + lines))
        try {
          const all = Buffer.from(header + lines)
          const slices = await sliceList(cutSlices(handle, sliceBytes))
          const bytes = slices.map(({ firstByte, lastByte }) => all.subarray(firstByte, lastByte + 1))
          expect(Buffer.concat(bytes).toString()).toBe(lines)
          for (const slice of bytes.slice(0, -1)) expect(slice.length).toBeGreaterThanOrEqual(sliceBytes)
          expect(bytes.flatMap(slice => parse(slice, { record_delimiter: '\n' }))).toEqual(cells)
          expect(slices.map(({ checksum }) => checksum)).toEqual(
            bytes.map(slice => formatCrc32(crc32(slice))),
          )
        } finally {
          await handle.close()
        }
      }),
      { numRuns: 60 },
    )
  })
})

const upload = async (path: string, key: string): Promise<string> => {
  const file = { id: 7, region: 'us-east-1', uploadParams: { bucket, key, credentials: testRoot } }
  const s3With = (region: string) =>
    new S3Client({ endpoint: proxy.url, region, forcePathStyle: true, credentials: testRoot })
  // What the upload reads of a prepared file.
  const storage = { prepareFile: async () => file } as unknown as Parameters<typeof uploadTable>[1]['storage']
  expect(await uploadTable({ path, name: 't' }, { storage, s3With })).toBe(7)
  const read = async (name: string): Promise<string> => {
    const { Body } = await store.client.send(new GetObjectCommand({ Bucket: bucket, Key: name }))
    return (await Body?.transformToString()) ?? ''
  }
  const { entries } = JSON.parse(await read(`${key}manifest`)) as { entries: { url: string }[] }
  const slices = await Promise.all(entries.map(({ url }) => read(url.slice(`s3://${bucket}/`.length))))
  return slices.join('|')
}

describe('a table as a sliced file', () => {
  it.each<Fault | undefined>([undefined, 'slowDown', 'resetBefore', 'resetAfter'])(
    'is stored whole, with the fault: %s',
    async fault => {
      const lines = Array.from({ length: 20_000 }, (_, id) => csvLine([`${id}`, 'said "no"\nand left'])).join(
        '',
      )
      proxy.decide(({ method }, number) => (method === 'PUT' && number === 1 ? fault : undefined))
      expect(await upload(await fileWith(header + lines), `fault-${fault}/`)).toBe(lines)
    },
  )

  it('has one empty slice when it has no rows', async () => {
    proxy.decide(() => undefined)
    expect(await upload(await fileWith(header), 'empty/')).toBe('')
  })
})
