import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dataFiles, startTestS3 } from '../../support/embedded-s3.ts'
import { eventually } from '../../support/eventually.ts'
import { untilEnd } from '../../support/until-end.ts'
import { codeOf, type RawRequest, type SigningOptions, sendSigned, sign } from './raw-client.ts'

const s3 = await untilEnd(startTestS3())
const endpoint: string = s3.s3.endpoint
await s3.s3.createBucket('box')
await sendSigned(endpoint, { method: 'PUT', path: '/box/there', body: 'hello' })

describe('what is not implemented is refused by name', () => {
  it.each([
    ['PUT', '/box/there?acl', 'acl'],
    ['PUT', '/box?acl', 'acl'],
    ['PUT', '/box?policy', 'policy'],
    ['PUT', '/box?lifecycle', 'lifecycle'],
    ['GET', '/box?inventory', 'inventory'],
    ['GET', '/box?policy', 'policy'],
    ['GET', '/box?lifecycle', 'lifecycle'],
    ['GET', '/?max-buckets=1', 'max-buckets'],
    ['GET', '/box/there?torrent', 'torrent'],
    ['POST', '/box/there?select&select-type=2', 'select'],
    ['POST', '/box/there?restore', 'restore'],
    ['GET', '/box?list-type=2&made-up=1', 'made-up'],
    ['DELETE', '/box?cors', 'cors'],
    ['PUT', '/box?versioning', 'versioning'],
    ['PUT', '/box/there?tagging', 'tagging'],
    ['GET', '/box/there?attributes', 'attributes'],
    ['GET', '/box?encryption', 'encryption'],
  ])('%s %s', async (method, path, name) => {
    const reply = await sendSigned(endpoint, { method, path })
    expect([reply.status, codeOf(reply)]).toEqual([501, 'NotImplemented'])
    expect(reply.body).toContain(`<QueryArgument>${name}</QueryArgument>`)
  })

  it.each([
    'x-amz-object-lock-mode',
    'x-amz-grant-read',
    'x-amz-tagging',
    'x-amz-website-redirect-location',
    'x-amz-write-offset-bytes',
    'x-amz-server-side-encryption-customer-algorithm',
  ])('header %s', async name => {
    const reply = await sendSigned(endpoint, {
      method: 'PUT',
      path: '/box/x',
      headers: { [name]: '1' },
      body: 'b',
    })
    expect([reply.status, codeOf(reply)]).toEqual([501, 'NotImplemented'])
    expect(reply.body).toContain(name)
  })

  it('leaves the object as it was', async () => {
    await sendSigned(endpoint, { method: 'PUT', path: '/box/there?acl', body: '<AccessControlPolicy/>' })
    expect((await sendSigned(endpoint, { method: 'GET', path: '/box/there' })).body).toBe('hello')
  })
})

describe('a wrong request is refused with its code', () => {
  const put = (headers: Record<string, string>, body = 'hello'): RawRequest => ({
    method: 'PUT',
    path: '/box/x',
    headers,
    body,
  })
  const copyOf = (source: string): RawRequest => ({
    method: 'PUT',
    path: '/box/x',
    headers: { 'x-amz-copy-source': source },
  })
  const md5 = createHash('md5').update('other').digest('base64')
  const chunked: SigningOptions = { payload: 'STREAMING-UNSIGNED-PAYLOAD-TRAILER' }
  it.each<[string, RawRequest, SigningOptions, string]>([
    ['an ACL that gives rights', put({ 'x-amz-acl': 'public-read' }), {}, 'NotImplemented'],
    ['another storage class', put({ 'x-amz-storage-class': 'STANDARD_IA' }), {}, 'InvalidStorageClass'],
    ['encryption that is none', put({ 'x-amz-server-side-encryption': 'ROT13' }), {}, 'InvalidArgument'],
    ['encryption with KMS', put({ 'x-amz-server-side-encryption': 'aws:kms' }), {}, 'NotImplemented'],
    ['2 KiB of metadata and more', put({ 'x-amz-meta-a': 'x'.repeat(2048) }), {}, 'MetadataTooLarge'],
    ['another MD5', put({ 'content-md5': md5 }), {}, 'BadDigest'],
    ['an MD5 that is none', put({ 'content-md5': 'abc' }), {}, 'InvalidDigest'],
    ['another CRC32', put({ 'x-amz-checksum-crc32': 'AAAAAA==' }), {}, 'BadDigest'],
    ['a CRC32 that is none', put({ 'x-amz-checksum-crc32': 'AAAA' }), {}, 'InvalidRequest'],
    [
      'two checksums',
      put({ 'x-amz-checksum-crc32': 'NhCmhg==', 'x-amz-checksum-sha1': 'x' }),
      {},
      'InvalidRequest',
    ],
    [
      'an announced checksum that is missing',
      put({ 'x-amz-sdk-checksum-algorithm': 'CRC32' }),
      {},
      'InvalidRequest',
    ],
    ['an owner that is another', put({ 'x-amz-expected-bucket-owner': '111122223333' }), {}, 'AccessDenied'],
    ['a payload hash that is none', put({}), { payload: 'nonsense' }, 'InvalidArgument'],
    ['chunks without a decoded length', put({}, '0\r\n\r\n'), chunked, 'MissingContentLength'],
    [
      'a chunk size that is none',
      put({ 'x-amz-decoded-content-length': '5' }, 'xyz\r\nhello\r\n0\r\n\r\n'),
      chunked,
      'InvalidRequest',
    ],
    [
      'chunks that are longer than they say',
      put({ 'x-amz-decoded-content-length': '5' }, '4\r\nhello\r\n0\r\n\r\n'),
      chunked,
      'InvalidRequest',
    ],
    [
      'fewer bytes than announced',
      put({ 'x-amz-decoded-content-length': '9' }, '5\r\nhello\r\n0\r\n\r\n'),
      chunked,
      'IncompleteBody',
    ],
    [
      'more bytes than announced',
      put({ 'x-amz-decoded-content-length': '2' }, '5\r\nhello\r\n0\r\n\r\n'),
      chunked,
      'IncompleteBody',
    ],
    [
      'a missing trailer',
      put(
        { 'x-amz-decoded-content-length': '5', 'x-amz-trailer': 'x-amz-checksum-crc32' },
        '5\r\nhello\r\n0\r\n\r\n',
      ),
      chunked,
      'InvalidRequest',
    ],
    [
      '6 GiB in one PUT',
      put({ 'x-amz-decoded-content-length': String(6 * 1024 ** 3) }, '0\r\n\r\n'),
      chunked,
      'EntityTooLarge',
    ],
    ['a method nobody knows', { method: 'PATCH', path: '/box/x' }, {}, 'MethodNotAllowed'],
    [
      'a max-keys that is none',
      { method: 'GET', path: '/box?list-type=2&max-keys=many' },
      {},
      'InvalidArgument',
    ],
    ['a negative max-keys', { method: 'GET', path: '/box?list-type=2&max-keys=-1' }, {}, 'InvalidArgument'],
    [
      'a continuation token that is none',
      { method: 'GET', path: '/box?list-type=2&continuation-token=%21' },
      {},
      'InvalidArgument',
    ],
    ['an encoding that is none', { method: 'GET', path: '/box?encoding-type=base64' }, {}, 'InvalidArgument'],
    [
      'a header value that would end the header',
      { method: 'GET', path: '/box/there?response-content-type=a%0d%0ab:c' },
      {},
      'InvalidArgument',
    ],
    [
      'an upload that is not there',
      { method: 'PUT', path: '/box/x?partNumber=1&uploadId=none', body: 'x' },
      {},
      'NoSuchUpload',
    ],
    [
      'a version id that is none',
      { method: 'DELETE', path: '/box/there?versionId=a%0ab' },
      {},
      'InvalidArgument',
    ],
    ['an empty version id', { method: 'GET', path: '/box/there?versionId=' }, {}, 'InvalidArgument'],
    ['a version id that is none', { method: 'GET', path: '/box/there?versionId=abc' }, {}, 'InvalidArgument'],
    ['one to delete', { method: 'DELETE', path: '/box/there?versionId=abc' }, {}, 'InvalidArgument'],
    ['one to copy', copyOf('box/there?versionId=abc'), {}, 'InvalidArgument'],
    ['a part that is none', { method: 'GET', path: '/box/there?partNumber=2' }, {}, 'InvalidPartNumber'],
    ['an ACL where there are none', put({ 'x-amz-acl': 'private' }), {}, 'AccessControlListNotSupported'],
    [
      'part 0',
      { method: 'PUT', path: '/box/x?partNumber=0&uploadId=none', body: 'x' },
      {},
      'InvalidArgument',
    ],
    [
      'part 10,001',
      { method: 'PUT', path: '/box/x?partNumber=10001&uploadId=none', body: 'x' },
      {},
      'InvalidArgument',
    ],
    ['a copy source without a key', put({ 'x-amz-copy-source': 'box' }), {}, 'InvalidArgument'],
  ])('%s', async (_, request, options, code) => {
    expect(codeOf(await sendSigned(endpoint, request, options))).toBe(code)
  })

  it('and the connection still works after a body was refused half-way', async () => {
    const body = Buffer.concat([Buffer.from('nonsense\r\n'), Buffer.alloc(3_000_000, 'x')])
    const refused = sign(endpoint, put({ 'x-amz-decoded-content-length': '3000000' }), chunked).request
    const next = sign(endpoint, { method: 'GET', path: '/box/there' }).request
    const answer = await onOneConnection([Buffer.concat([head(refused, body.length), body]), head(next, 0)])
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400', 'HTTP/1.1 200'])
  })
})

describe('Expect: 100-continue', () => {
  it('is answered once the request was accepted', async () => {
    const { request } = sign(endpoint, {
      method: 'PUT',
      path: '/box/waited',
      body: 'hello',
      headers: { expect: '100-continue' },
    })
    const answer = await onOneConnection([head(request, 5), 'hello'])
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 100', 'HTTP/1.1 200'])
  })

  it.each<[string, string, SigningOptions, string]>([
    [
      'a wrong signature',
      '/box/waited',
      { credentials: { accessKeyId: 'AKIATEST', secretAccessKey: 'wrong' } },
      '403',
    ],
    ['a missing bucket', '/nowhere/waited', {}, '404'],
  ])('is not answered for %s, and the body never sent', async (_, path, options, status) => {
    const { request } = sign(
      endpoint,
      { method: 'PUT', path, body: 'hello', headers: { expect: '100-continue' } },
      options,
    )
    const answer = await onOneConnection([head(request, 5)])
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`])
    expect(answer.toLowerCase()).toContain('connection: close')
  })
})

it('a body that breaks off leaves nothing', async () => {
  const before = await dataFiles(s3.dataDir)
  const body = 'x'.repeat(100_000) // Less is not written before it is whole.
  const { request } = sign(endpoint, { method: 'PUT', path: '/box/broken', body })
  const socket = connect(Number(new URL(endpoint).port), '127.0.0.1')
  socket.write(Buffer.concat([head(request, body.length), Buffer.from('xx')]))
  await eventually(async () => expect(await dataFiles(s3.dataDir)).toHaveLength(before.length + 1))
  socket.destroy()
  await eventually(async () => expect(await dataFiles(s3.dataDir)).toEqual(before))
  expect((await sendSigned(endpoint, { method: 'GET', path: '/box/broken' })).status).toBe(404)
})

it("no caller's mistake is the server's", async () => {
  const word = fc.oneof(
    fc.constantFrom(
      'box',
      'there',
      'uploads',
      'uploadId',
      'partNumber',
      'versionId',
      'delete',
      'versions',
      'tagging',
      'location',
    ),
    fc.string({ maxLength: 8, unit: 'binary' }),
  )
  const request = fc.record({
    method: fc.constantFrom('GET', 'PUT', 'POST', 'DELETE', 'HEAD'),
    path: fc.array(word, { maxLength: 4 }),
    query: fc.array(fc.tuple(word, word), { maxLength: 3 }),
    headers: fc.dictionary(
      fc.constantFrom(
        'range',
        'if-match',
        'if-none-match',
        'if-modified-since',
        'x-amz-copy-source',
        'x-amz-copy-source-range',
        'x-amz-tagging',
        'x-amz-checksum-crc32',
        'x-amz-checksum-algorithm',
        'x-amz-checksum-mode',
        'x-amz-meta-x',
        'content-md5',
        'content-type',
      ),
      fc.oneof(
        fc.constantFrom('bytes=0-1', '*', 'box/there', 'application/x-www-form-urlencoded'),
        fc.stringMatching(/^[ -~]{0,12}$/),
      ),
    ),
    body: fc.oneof(
      fc.string(),
      fc.constantFrom('<Delete/>', '<CompleteMultipartUpload><Part/></CompleteMultipartUpload>'),
    ),
  })
  await fc.assert(
    fc.asyncProperty(request, async ({ method, path, query, headers, body }) => {
      const encode = (text: string): string => encodeURIComponent(text.toWellFormed())
      const url = `/${path.map(encode).join('/')}?${query.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&')}`
      const hasBody = method === 'PUT' || method === 'POST'
      const reply = await sendSigned(endpoint, { method, path: url, headers, ...(hasBody ? { body } : {}) })
      // 501 is "not implemented", which says what the caller asked for.
      expect(reply.status === 501 || reply.status < 500).toBe(true)
    }),
    { numRuns: 300 },
  )
})

const head = ({ method, path, headers = {} }: RawRequest, length: number): Buffer =>
  Buffer.from(
    [
      `${method} ${path} HTTP/1.1`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      `content-length: ${length}`,
      '',
      '',
    ].join('\r\n'),
  )

/** Sends each message once the one before it has been answered, however many pieces its answer comes in; resolves to all that came back. */
const onOneConnection = async (messages: (Buffer | string)[]): Promise<string> => {
  const socket = connect(Number(new URL(endpoint).port), '127.0.0.1')
  let answers = ''
  socket.on('data', data => {
    answers += data
  })
  try {
    for (const [before, message] of messages.entries()) {
      socket.write(message)
      await eventually(() => expect(answers.split('HTTP/1.1 ').length - 1).toBeGreaterThan(before))
    }
    return answers
  } finally {
    socket.destroy()
  }
}
