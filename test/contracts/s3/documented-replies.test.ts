import { S3Client } from '@aws-sdk/client-s3'
import { beforeEach, expect, it } from 'vitest'
import { createBucketDocuments } from '#lib/cloud/bucket-documents.ts'
import { listUploads } from '#lib/cloud/multipart/list-uploads.ts'
import { completeUpload } from '#lib/cloud/multipart/multipart-upload.ts'
import { type Reply, startScriptedServer } from '#support/scripted-server.ts'
import { untilEnd } from '#support/until-end.ts'

/*
 * Replies of S3 that no implementation here gives when it is asked, written as its API Reference has them.
 */

const server = await untilEnd(startScriptedServer())
const client = await untilEnd(
  new S3Client({
    endpoint: server.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    forcePathStyle: true,
    maxAttempts: 1, // What S3 answers must reach our own code.
  }),
)
beforeEach(() => server.received.splice(0))

const xml =
  (status: number, body: string, headers: Record<string, string> = {}): Reply =>
  response => {
    response.writeHead(status, { 'content-type': 'application/xml', ...headers })
    response.end(`<?xml version="1.0" encoding="UTF-8"?>\n${body}`)
  }
const error = (status: number, code: string, message: string): Reply =>
  xml(
    status,
    `<Error><Code>${code}</Code><Message>${message}</Message><RequestId>4442587FB7D0A2F9</RequestId></Error>`,
  )

it('a conditional write that meets another one (409) is sent again', async () => {
  server.replyWith(
    error(
      409,
      'ConditionalRequestConflict',
      'The conditional request cannot succeed due to a conflicting operation against this resource.',
    ),
    xml(200, '', { etag: '"0cc175b9c0f1b6a831c399e269772661"' }),
  )
  const documents = createBucketDocuments(client, 'documents')
  expect(await documents.write('key', 1, 'absent')).toBe('"0cc175b9c0f1b6a831c399e269772661"')
  expect(server.received).toHaveLength(2)
})

it('an upload whose completion begins with 200 and ends with an error is not complete', async () => {
  const notFound: Reply = response => response.writeHead(404).end()
  server.replyWith(
    error(200, 'InternalError', 'We encountered an internal error. Please try again.'),
    notFound,
  )
  const upload = { s3: client, bucket: 'documents', key: 'key', uploadId: 'id' }
  const parts = [{ partNumber: 1, etag: '"0cc175b9c0f1b6a831c399e269772661"', bytes: 1, checksum: undefined }]
  await expect(completeUpload(upload, parts)).rejects.toThrow('We encountered an internal error')
})

it('a list that is cut short goes on behind its markers', async () => {
  const page = (rest: string, key: string) =>
    xml(
      200,
      `<ListMultipartUploadsResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${rest}<Upload><Key>${key}</Key>` +
        '<UploadId>VXBsb2FkIElE</UploadId><Initiated>2026-11-10T20:48:33.000Z</Initiated></Upload></ListMultipartUploadsResult>',
    )
  server.replyWith(
    page(
      '<NextKeyMarker>a</NextKeyMarker><NextUploadIdMarker>VXBs</NextUploadIdMarker><IsTruncated>true</IsTruncated>',
      'a',
    ),
    page('<IsTruncated>false</IsTruncated>', 'b'),
  )
  const keys: string[] = []
  for await (const { key } of listUploads(client, 'documents', '')) keys.push(key)
  expect(keys).toEqual(['a', 'b'])
  expect(server.received[1]?.url).toMatch(
    /key-marker=a.*upload-id-marker=VXBs|upload-id-marker=VXBs.*key-marker=a/,
  )
})
