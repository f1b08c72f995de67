import { S3Client } from '@aws-sdk/client-s3'
import { beforeEach, describe, expect, it } from 'vitest'
import { readObject } from '#lib/table-engine/read-object.ts'
import { type Reply, startScriptedServer } from '#support/scripted-server.ts'
import { untilEnd } from '#support/until-end.ts'

const server = await untilEnd(startScriptedServer())
const s3 = await untilEnd(
  new S3Client({
    endpoint: server.url,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
    maxAttempts: 1,
  }),
)
beforeEach(() => {
  server.received.splice(0)
})

const OBJECT = '0123456789'

/** Serves the object. Breaks the connection after `breakAfter` bytes. */
const serve =
  (breakAfter?: number): Reply =>
  (response, { headers }) => {
    const start = Number(headers.range?.match(/^bytes=(\d+)-$/)?.[1] ?? 0)
    const body = OBJECT.slice(start)
    response.writeHead(start > 0 ? 206 : 200, { 'Content-Length': body.length, ETag: '"v1"' })
    if (breakAfter === undefined) response.end(body)
    else if (breakAfter === 0) response.flushHeaders()
    else response.write(body.slice(0, breakAfter), () => setImmediate(() => response.destroy()))
    if (breakAfter === 0) setImmediate(() => response.destroy())
  }

const refuse =
  (status: number, code: string): Reply =>
  response => {
    response
      .writeHead(status, { 'Content-Type': 'application/xml' })
      .end(`<Error><Code>${code}</Code></Error>`)
  }

const read = async (): Promise<string> => {
  const pieces: Uint8Array[] = []
  for await (const piece of readObject(s3, { bucket: 'data', key: 'a.csv' })) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

describe('readObject', () => {
  it('resumes after a broken connection, with the same version of the object', async () => {
    server.replyWith(serve(4), serve(3), serve())
    expect(await read()).toBe(OBJECT)
    expect(server.received.map(({ headers }) => [headers.range, headers['if-match']])).toEqual([
      [undefined, undefined],
      ['bytes=4-', '"v1"'],
      ['bytes=7-', '"v1"'],
    ])
  })

  it('gives up when nothing arrives any more', async () => {
    server.replyWith(serve(4), serve(0))
    await expect(read()).rejects.toThrow('aborted')
    expect(server.received).toHaveLength(4)
  })

  it('does not resume with another version', async () => {
    server.replyWith(serve(4), refuse(412, 'PreconditionFailed'))
    await expect(read()).rejects.toMatchObject({ name: 'TransientError', code: 's3.objectChanged' })
  })

  it('passes on what S3 answers', async () => {
    server.replyWith(refuse(403, 'AccessDenied'))
    await expect(read()).rejects.toMatchObject({ name: 'AccessDenied' })
    expect(server.received).toHaveLength(1)
  })
})
