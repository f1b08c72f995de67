import { createHmac } from 'node:crypto'
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { describe, expect, it } from 'vitest'
import { startTestS3, testRoot } from '../../support/embedded-s3.ts'
import { untilEnd } from '../../support/until-end.ts'
import {
  codeOf,
  type RawRequest,
  type SigningOptions,
  send,
  sendSigned,
  sign,
  signChunks,
} from './raw-client.ts'

const s3 = await untilEnd(startTestS3())
const endpoint: string = s3.s3.endpoint
await s3.s3.createBucket('box')
await s3.client.send(new PutObjectCommand({ Bucket: 'box', Key: 'greeting.txt', Body: 'hello' }))

const minutes = (count: number): Date => new Date(Date.now() + count * 60_000)
const getGreeting: RawRequest = { method: 'GET', path: '/box/greeting.txt' }

describe('a request signed in its header', () => {
  it.each<[string, RawRequest, SigningOptions, number, string | undefined]>([
    ['is answered', getGreeting, {}, 200, undefined],
    [
      'is refused with an unknown key',
      getGreeting,
      { credentials: { accessKeyId: 'AKIANOBODY', secretAccessKey: 'x' } },
      403,
      'InvalidAccessKeyId',
    ],
    [
      'is refused with a wrong secret',
      getGreeting,
      { credentials: { ...testRoot, secretAccessKey: 'x' } },
      403,
      'SignatureDoesNotMatch',
    ],
    [
      'is refused with a token that the key does not have',
      getGreeting,
      { credentials: { ...testRoot, sessionToken: 'x' } },
      400,
      'InvalidToken',
    ],
    ['is refused 16 minutes too late', getGreeting, { date: minutes(-16) }, 403, 'RequestTimeTooSkewed'],
    ['is refused 16 minutes too early', getGreeting, { date: minutes(16) }, 403, 'RequestTimeTooSkewed'],
    ['is answered 14 minutes late', getGreeting, { date: minutes(-14) }, 200, undefined],
    [
      'is refused for another region',
      getGreeting,
      { region: 'eu-central-1' },
      400,
      'AuthorizationHeaderMalformed',
    ],
    ['is refused for another service', getGreeting, { service: 'sqs' }, 400, 'AuthorizationHeaderMalformed'],
    [
      'is answered when the payload hash is sent unsigned',
      getGreeting,
      { unsigned: ['x-amz-content-sha256'] },
      200,
      undefined,
    ],
    [
      'is refused when another x-amz header is not signed',
      { ...getGreeting, headers: { 'x-amz-acl': 'private' } },
      { unsigned: ['x-amz-acl'] },
      403,
      'AccessDenied',
    ],
    [
      'is refused when the host is not signed',
      getGreeting,
      { unsigned: ['host'] },
      400,
      'AuthorizationHeaderMalformed',
    ],
  ])('%s', async (_, request, options, status, code) => {
    const reply = await sendSigned(endpoint, request, options)
    expect([reply.status, codeOf(reply)]).toEqual([status, code])
  })

  it.each([
    ['nothing', {}, 403, 'AccessDenied'],
    ['the old header form', { authorization: 'AWS AKIATEST:c2ln' }, 400, 'InvalidRequest'],
    ['another scheme', { authorization: 'Basic YTpi' }, 400, 'InvalidRequest'],
    ['an empty header', { authorization: '' }, 400, 'InvalidRequest'],
    [
      'fields that are not there',
      { authorization: 'AWS4-HMAC-SHA256 ', 'x-amz-date': '20260101T000000Z' },
      400,
      'AuthorizationHeaderMalformed',
    ],
  ])('is refused with %s', async (_, headers, status, code) => {
    const reply = await send(endpoint, { ...getGreeting, headers })
    expect([reply.status, codeOf(reply)]).toEqual([status, code])
  })

  it('is refused on HEAD without a body', async () => {
    const reply = await send(endpoint, { method: 'HEAD', path: '/box/greeting.txt' })
    expect([reply.status, reply.body]).toEqual([403, ''])
  })

  it.each([
    'plain.txt',
    'with space',
    'plus+plus',
    'a//b',
    '/leading',
    'dots/../../evil',
    "quotes'()*!~",
    'percent%25',
    'ünï/ç/日本/😀',
    'question?and#hash&=;:@,$',
  ])('reaches the key %j', async key => {
    await s3.client.send(new PutObjectCommand({ Bucket: 'box', Key: key, Body: key }))
    const { Body } = await s3.client.send(new GetObjectCommand({ Bucket: 'box', Key: key }))
    expect(await Body?.transformToString()).toBe(key)
  })

  it('accepts characters that a client left unescaped', async () => {
    await s3.client.send(new PutObjectCommand({ Bucket: 'box', Key: 'a+b!(c)', Body: 'x' }))
    expect((await sendSigned(endpoint, { method: 'GET', path: '/box/a+b!(c)' })).body).toBe('x')
  })

  it('may name its values with runs of spaces', async () => {
    const request = { ...getGreeting, headers: { 'x-amz-meta-spaces': '  a   b ' } }
    expect((await sendSigned(endpoint, request)).status).toBe(200)
  })
})

describe('a presigned URL', () => {
  const presign = (expiresIn: number, date?: Date) =>
    getSignedUrl(s3.client, new GetObjectCommand({ Bucket: 'box', Key: 'greeting.txt' }), {
      expiresIn,
      ...(date === undefined ? {} : { signingDate: date }),
    })

  it('reads an object without headers', async () => {
    const reply = await fetch(await presign(60))
    expect([reply.status, await reply.text()]).toEqual([200, 'hello'])
  })

  it('expires', async () => {
    const reply = await fetch(await presign(60, minutes(-2)))
    expect([reply.status, await reply.text()]).toEqual([403, expect.stringContaining('Request has expired')])
  })

  it('is refused before its date', async () => {
    expect((await fetch(await presign(60, minutes(20)))).status).toBe(403)
  })

  it('is valid for its method only', async () => {
    const reply = await fetch(await presign(60), { method: 'DELETE' })
    expect([reply.status, await reply.text()]).toEqual([
      403,
      expect.stringContaining('SignatureDoesNotMatch'),
    ])
  })

  it('cannot be changed', async () => {
    const url = `${await presign(60)}&response-content-type=text%2Fhtml`
    expect((await fetch(url)).status).toBe(403)
    expect((await fetch((await presign(60)).replace('greeting', 'other'))).status).toBe(403)
  })

  it('cannot be given a further x-amz header', async () => {
    const reply = await fetch(await presign(60), { headers: { 'x-amz-acl': 'public-read' } })
    expect([reply.status, await reply.text()]).toEqual([403, expect.stringContaining('HeadersNotSigned')])
  })

  it('can override headers of the reply', async () => {
    const command = new GetObjectCommand({
      Bucket: 'box',
      Key: 'greeting.txt',
      ResponseContentType: 'text/x-greeting',
      ResponseContentDisposition: 'attachment; filename="grüße.txt"',
    })
    const reply = await fetch(await getSignedUrl(s3.client, command))
    expect(reply.headers.get('content-type')).toBe('text/x-greeting')
    expect(reply.headers.get('content-disposition')).toContain('attachment')
  })

  it('can write any body', async () => {
    const url = await getSignedUrl(s3.client, new PutObjectCommand({ Bucket: 'box', Key: 'put by url' }))
    expect((await fetch(url, { method: 'PUT', body: 'written' })).status).toBe(200)
    const { Body } = await s3.client.send(new GetObjectCommand({ Bucket: 'box', Key: 'put by url' }))
    expect(await Body?.transformToString()).toBe('written')
  })

  it('sets metadata, and no checksum of an empty body', async () => {
    const command = new PutObjectCommand({ Bucket: 'box', Key: 'described by url', Metadata: { a: 'grün' } })
    const url = await getSignedUrl(s3.client, command)
    expect(url).toContain('x-amz-checksum-crc32=')
    expect((await fetch(url, { method: 'PUT', body: 'written' })).status).toBe(200)
    const reply = await sendSigned(endpoint, { method: 'HEAD', path: '/box/described%20by%20url' })
    expect(Buffer.from(reply.headers['x-amz-meta-a'] ?? '', 'latin1').toString()).toBe('grün')
  })

  it('cannot hold what no header can hold', async () => {
    const command = new PutObjectCommand({ Bucket: 'box', Key: 'x', Metadata: { a: 'two\nlines' } })
    const reply = await fetch(await getSignedUrl(s3.client, command), { method: 'PUT', body: 'x' })
    expect([reply.status, await reply.text()]).toEqual([400, expect.stringContaining('InvalidArgument')])
  })

  it('of more than a week is refused', async () => {
    const url = (await presign(60)).replace('X-Amz-Expires=60', 'X-Amz-Expires=604801')
    expect((await fetch(url)).status).toBe(400)
  })

  describe('of the old form, which the aws CLI makes', () => {
    const signOld = (secret: string, method: string, expires: Date, amz: string, path: string) => {
      const seconds = Math.floor(expires.getTime() / 1000)
      const text = `${method}\n\n\n${seconds}\n${amz}${path}`
      const signature = createHmac('sha1', secret).update(text).digest('base64')
      return `${endpoint}${path}?AWSAccessKeyId=AKIATEST&Signature=${encodeURIComponent(signature)}&Expires=${seconds}`
    }
    const presignOld = (secret: string, expires: Date) =>
      signOld(secret, 'GET', expires, '', '/box/greeting.txt')
    it.each([
      ['reads', () => presignOld(testRoot.secretAccessKey, minutes(1)), 200],
      ['ends after its time', () => presignOld(testRoot.secretAccessKey, minutes(-1)), 403],
      ['is refused with a wrong secret', () => presignOld('wrong', minutes(1)), 403],
      ['cannot be changed', () => `${presignOld(testRoot.secretAccessKey, minutes(1))}&versionId=null`, 403],
    ])('%s', async (_, url, status) => {
      expect((await fetch(url())).status).toBe(status)
    })

    const put = (amz: string, query: string, key: string) =>
      fetch(`${signOld(testRoot.secretAccessKey, 'PUT', minutes(1), amz, `/box/${key}`)}${query}`, {
        method: 'PUT',
        body: Buffer.from('x'), // A text would get a content type, which the signature covers.
      })

    it('stores the metadata that was signed', async () => {
      expect((await put('x-amz-meta-a:1\n', '&x-amz-meta-a=1', 'old')).status).toBe(200)
      const { headers } = await sendSigned(endpoint, { method: 'HEAD', path: '/box/old' })
      expect(headers['x-amz-meta-a']).toBe('1')
    })

    it.each(['&x-amz-meta-a=1', '&X-Amz-Meta-A=1', '&x-amz-acl=public-read'])(
      'is refused with %s added',
      async added => {
        const reply = await put('', added, 'added')
        expect([reply.status, await reply.text()]).toEqual([
          403,
          expect.stringContaining('SignatureDoesNotMatch'),
        ])
        expect((await sendSigned(endpoint, { method: 'HEAD', path: '/box/added' })).status).toBe(404)
      },
    )
  })
})

describe('the hash of the payload', () => {
  it('is checked', async () => {
    const request = { method: 'PUT', path: '/box/hashed', body: 'real body' }
    const reply = await sendSigned(endpoint, request, { payload: 'a'.repeat(64) })
    expect([reply.status, codeOf(reply)]).toEqual([400, 'XAmzContentSHA256Mismatch'])
    expect((await sendSigned(endpoint, { method: 'HEAD', path: '/box/hashed' })).status).toBe(404)
  })

  it('may be UNSIGNED-PAYLOAD', async () => {
    const request = { method: 'PUT', path: '/box/unhashed', body: 'body' }
    expect((await sendSigned(endpoint, request, { payload: 'UNSIGNED-PAYLOAD' })).status).toBe(200)
  })

  it('is required', async () => {
    const { request } = sign(
      endpoint,
      { method: 'PUT', path: '/box/x', body: 'b' },
      { unsigned: ['x-amz-content-sha256'] },
    )
    const { 'x-amz-content-sha256': _, ...headers } = request.headers ?? {}
    const reply = await send(endpoint, { ...request, headers })
    expect([reply.status, codeOf(reply)]).toEqual([400, 'InvalidRequest'])
    expect(reply.body).toContain('Missing required header for this request: x-amz-content-sha256')
  })
})

describe('a body of signed chunks', () => {
  const chunks = [Buffer.from('first chunk '), Buffer.alloc(70_000, 'x'), Buffer.from('last')]
  const content = Buffer.concat(chunks)

  const put = async (
    path: string,
    options: { trailer?: { name: string; value: string }; tamper?: (body: Buffer) => Buffer } = {},
  ) => {
    const payload = `STREAMING-AWS4-HMAC-SHA256-PAYLOAD${options.trailer === undefined ? '' : '-TRAILER'}`
    const signed = sign(
      endpoint,
      {
        method: 'PUT',
        path,
        headers: {
          'content-encoding': 'aws-chunked',
          'x-amz-decoded-content-length': String(content.length),
          ...(options.trailer === undefined ? {} : { 'x-amz-trailer': options.trailer.name }),
        },
      },
      { payload },
    )
    const body = signChunks(signed, chunks, options.trailer)
    return send(endpoint, { ...signed.request, body: options.tamper?.(body) ?? body })
  }

  it('is stored without its framing', async () => {
    expect((await put('/box/chunks')).status).toBe(200)
    const reply = await sendSigned(endpoint, { method: 'GET', path: '/box/chunks' })
    expect(reply.body).toBe(content.toString())
    expect(reply.headers['content-encoding']).toBeUndefined()
  })

  it('is refused when one byte of a chunk differs', async () => {
    const tamper = (body: Buffer): Buffer => {
      body[body.indexOf('first')] = 0x46
      return body
    }
    expect(codeOf(await put('/box/tampered', { tamper }))).toBe('SignatureDoesNotMatch')
  })

  it('is refused when it ends early', async () => {
    const tamper = (body: Buffer): Buffer => body.subarray(0, body.length - 100)
    expect(codeOf(await put('/box/short', { tamper }))).toBe('IncompleteBody')
  })

  it('may end with a signed checksum', async () => {
    const { crc32 } = await import('node:zlib')
    const value = Buffer.alloc(4)
    value.writeUInt32BE(crc32(content))
    const trailer = { name: 'x-amz-checksum-crc32', value: value.toString('base64') }
    expect((await put('/box/trailer', { trailer })).headers['x-amz-checksum-crc32']).toBe(trailer.value)
    const wrong = { ...trailer, value: 'AAAAAA==' }
    expect(codeOf(await put('/box/trailer2', { trailer: wrong }))).toBe('BadDigest')
    const tamper = (body: Buffer): Buffer =>
      Buffer.from(body.toString('latin1').replace(/(x-amz-trailer-signature:)./, '$1g'), 'latin1')
    expect(codeOf(await put('/box/trailer3', { trailer, tamper }))).toBe('SignatureDoesNotMatch')
  })
})
