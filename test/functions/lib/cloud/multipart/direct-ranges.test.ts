import { randomBytes } from 'node:crypto'
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createSecureServer, getCACertificates, setDefaultCACertificates } from 'node:tls'
import { CreateBucketCommand, DeleteObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { directRanges } from '#lib/cloud/multipart/direct-ranges.ts'
import { readRange, type SourceObject } from '#lib/cloud/multipart/source-object.ts'
import { caCertificate, serverCertificate, serverKey } from '#support/certificates.ts'
import { startTestS3, testRoot } from '#support/embedded-s3.ts'
import { type Fault, startFaultProxy } from '#support/fault-proxy.ts'
import { untilEnd } from '#support/until-end.ts'

const Bucket = 'ranges'
const content = randomBytes(300_000)
/** What a client says that may not send anything by itself. */
const SENT_BY_SDK = 'sent by the SDK'

const clients: S3Client[] = []
const servers: Server[] = []

const store = await untilEnd(startTestS3())
const proxy = await untilEnd(startFaultProxy(store.s3.endpoint))
const direct = await untilEnd(directRanges())
await store.client.send(new CreateBucketCommand({ Bucket }))

afterAll(async () => {
  for (const client of clients) client.destroy()
  for (const server of servers) server.close()
})

const clientOf = (endpoint: string, config: ConstructorParameters<typeof S3Client>[0] = {}): S3Client => {
  const region = 'us-east-1'
  const client = new S3Client({ endpoint, region, forcePathStyle: true, credentials: testRoot, ...config })
  clients.push(client)
  return client
}

/** Signs requests, and fails where it has to send one. */
const onlySigning = (endpoint: string, config: ConstructorParameters<typeof S3Client>[0] = {}): S3Client =>
  clientOf(endpoint, { requestHandler: { handle: () => Promise.reject(new Error(SENT_BY_SDK)) }, ...config })

const put = async (key: string, s3: S3Client): Promise<SourceObject> => {
  const { ETag = '' } = await store.client.send(new PutObjectCommand({ Bucket, Key: key, Body: content }))
  return { s3, bucket: Bucket, key, etag: ETag, bytes: content.length }
}

const read = async (
  source: SourceObject,
  firstByte: number,
  lastByte: number,
  ranges = direct,
): Promise<Buffer> => {
  const target = Buffer.alloc(lastByte - firstByte + 1)
  await readRange({ source, firstByte, lastByte }, target, ranges.receive)
  return target
}

describe('ranges that are received directly', () => {
  it('are the bytes of the object, whatever is read at the same time', async () => {
    const source = await put('a key/with + signs', onlySigning(store.s3.endpoint))
    const byte = fc.nat({ max: content.length - 1 })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(byte, byte), { maxLength: 12 }), async pairs => {
        await Promise.all(
          pairs.map(async ([a, b]) => {
            const [first, last] = [Math.min(a, b), Math.max(a, b)]
            expect((await read(source, first, last)).equals(content.subarray(first, last + 1))).toBe(true)
          }),
        )
      }),
      { numRuns: 25 },
    )
  })

  it.each<Fault>(['slowDown', 'error500After', 'resetBefore', 'resetAfter', 'halfABody', 'slowFirstByte'])(
    'are whole after a fault: %s',
    async fault => {
      const source = await put('faults', clientOf(proxy.url))
      proxy.decide((_, number) => (number === 1 ? fault : undefined))
      expect((await read(source, 10, 250_000)).equals(content.subarray(10, 250_001))).toBe(true)
    },
  )

  it.each(['replaced', 'deleted'])('are refused when the object was %s', async how => {
    const source = await put('changed', clientOf(store.s3.endpoint))
    await store.client.send(
      how === 'deleted'
        ? new DeleteObjectCommand({ Bucket, Key: 'changed' })
        : new PutObjectCommand({ Bucket, Key: 'changed', Body: 'other' }),
    )
    await expect(read(source, 0, 9)).rejects.toMatchObject({ code: 'source.changed' })
  })
})

interface Scripted {
  source: (config?: ConstructorParameters<typeof S3Client>[0]) => SourceObject
  connections: () => number
}

/** A peer that does this with each request. */
const peer = async (answer: (socket: Socket) => void, isSecure = false): Promise<Scripted> => {
  let connections = 0
  const onSocket = (socket: Socket): void => {
    connections += 1
    socket.on('data', () => answer(socket)).on('error', () => socket.destroy())
  }
  const server = isSecure
    ? createSecureServer({ key: serverKey, cert: serverCertificate }, onSocket)
    : createServer(onSocket)
  servers.push(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('it listens on a port')
  const endpoint = isSecure ? `https://localhost:${address.port}` : `http://127.0.0.1:${address.port}`
  return {
    source: config => ({ s3: onlySigning(endpoint, config), bucket: 'b', key: 'k', etag: '"e"', bytes: 10 }),
    connections: () => connections,
  }
}

const head = 'HTTP/1.1 206 Partial Content\r\ncontent-length: 10\r\n'

describe('a peer', () => {
  it.each([
    ['sends all at once', (socket: Socket) => void socket.write(`${head}\r\n0123456789`)],
    [
      'sends other spelling',
      (socket: Socket) => void socket.write('HTTP/1.1 206 \r\nContent-Length:10 \r\n\r\n0123456789'),
    ],
    [
      'sends byte by byte',
      (socket: Socket) => {
        socket.setNoDelay()
        for (const byte of `${head}\r\n0123456789`) socket.write(byte)
      },
    ],
  ])('that %s is read over one connection', async (_, answer) => {
    const { source, connections } = await peer(answer)
    const object = source()
    for (let turn = 0; turn < 3; turn++) expect((await read(object, 0, 9)).toString()).toBe('0123456789')
    expect(connections()).toBe(1)
  })

  it('that closes its connections gets others', async () => {
    const { source, connections } = await peer(
      socket => void socket.end(`${head}connection: close\r\n\r\n0123456789`),
    )
    const object = source()
    for (let turn = 0; turn < 3; turn++) expect((await read(object, 0, 9)).toString()).toBe('0123456789')
    expect(connections()).toBe(3)
  })

  it.each([
    ['an error', 'HTTP/1.1 503 Slow Down\r\ncontent-length: 10\r\n\r\n0123456789'],
    ['the whole object', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n0123456789'],
    ['fewer bytes than asked for', 'HTTP/1.1 206 P\r\ncontent-length: 9\r\n\r\n012345678'],
    ['more bytes than asked for', 'HTTP/1.1 206 P\r\ncontent-length: 11\r\n\r\n0123456789a'],
    ['more bytes than its head says', `${head}\r\n0123456789a`],
    ['two lengths', `${head}content-length: 5\r\n\r\n0123456789`],
    ['no length', 'HTTP/1.1 206 P\r\n\r\n0123456789'],
    ['chunks', `${head}Transfer-Encoding: chunked\r\n\r\na\r\n0123456789\r\n0\r\n\r\n`],
    ['compressed bytes', `${head}Content-Encoding: gzip\r\n\r\n0123456789`],
    ['something else', 'SSH-2.0-OpenSSH_9.6\r\n\r\n'],
    ['a head without end', 'x'.repeat(20_000)],
  ])('that sends %s leaves the request to the SDK, and nothing of it is kept', async (_, answer) => {
    const { source } = await peer(socket => void socket.write(answer))
    const target = Buffer.alloc(10)
    const reading = readRange({ source: source(), firstByte: 0, lastByte: 9 }, target, direct.receive)
    await expect(reading).rejects.toThrow(SENT_BY_SDK)
    expect(target.equals(Buffer.alloc(10))).toBe(true)
  })

  it('that says nothing is given up', async () => {
    const { source } = await peer(() => undefined)
    const impatient = directRanges({ silenceMs: 10 })
    await expect(read(source(), 0, 9, impatient)).rejects.toThrow(SENT_BY_SDK)
    impatient.close()
  })

  it('gets no header that a line break in a credential would make', async () => {
    const { source, connections } = await peer(socket => void socket.write(`${head}\r\n0123456789`))
    const credentials = { ...testRoot, sessionToken: 'a\r\nx-amz-acl: public-read' }
    await expect(read(source({ credentials }), 0, 9)).rejects.toThrow(SENT_BY_SDK)
    expect(connections()).toBe(0)
  })

  it('with TLS is read once its certificate is trusted', async () => {
    const { source } = await peer(socket => void socket.write(`${head}\r\n0123456789`), true)
    const object = source()
    await expect(read(object, 0, 9)).rejects.toThrow(SENT_BY_SDK)
    const before = getCACertificates('default')
    setDefaultCACertificates([...before, caCertificate])
    try {
      expect((await read(object, 0, 9)).toString()).toBe('0123456789')
    } finally {
      setDefaultCACertificates(before)
    }
  })
})
