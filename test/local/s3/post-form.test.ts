import { createHmac } from 'node:crypto'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { GetObjectCommand, HeadObjectCommand } from '@aws-sdk/client-s3'
import { createPresignedPost, type PresignedPostOptions } from '@aws-sdk/s3-presigned-post'
import { describe, expect, it } from 'vitest'
import { eventually } from '#support/eventually.ts'
import { untilEnd } from '#support/until-end.ts'
import { dataFiles, startTestS3, testRoot } from '../../support/embedded-s3.ts'

const landing = ['arn:aws:s3:::box/landing/*']
const s3 = await untilEnd(
  startTestS3({
    roles: new Map([
      [
        'arn:aws:iam::000000000000:role/drop',
        { Statement: [{ Effect: 'Allow', Action: 's3:PutObject', Resource: landing }] },
      ],
    ]),
  }),
)
await s3.s3.createBucket('box', { acceptsAcls: true })

type Fields = Record<string, string>
type Conditions = NonNullable<PresignedPostOptions['Conditions']>

const presign = async (options: Partial<PresignedPostOptions> = {}, client = s3.client) =>
  createPresignedPost(client, { Bucket: 'box', Key: 'landing/orders.csv', ...options })

const post = async (
  { url, fields }: { url: string; fields: Fields },
  {
    content = 'id\n1\n',
    filename = 'orders.csv',
    more = {},
  }: { content?: string; filename?: string; more?: Fields } = {},
) => {
  const form = new FormData()
  for (const [name, value] of Object.entries({ ...fields, ...more })) form.append(name, value)
  form.append('file', new Blob([content]), filename)
  form.append('submit', 'Upload') // What follows the file is ignored.
  const reply = await fetch(url, { method: 'POST', body: form, redirect: 'manual' })
  const body = await reply.text()
  const [, code, message] = /<Code>(.*)<\/Code>\s*<Message>(.*)<\/Message>/.exec(body) ?? []
  return { status: reply.status, headers: reply.headers, body, code, message }
}

const read = async (key: string) => {
  const { Body } = await s3.client.send(new GetObjectCommand({ Bucket: 'box', Key: key }))
  return Body?.transformToString()
}

describe('a posted form', () => {
  it('becomes an object with what its fields describe', async () => {
    const Fields = {
      acl: 'private',
      'Content-Type': 'text/csv',
      'x-amz-meta-origin': 'Zürich',
    }
    const Conditions: Conditions = [
      ['starts-with', '$Content-Type', 'text/'],
      ['content-length-range', 1, 100],
    ]
    const reply = await post(await presign({ Fields, Conditions }), { content: 'id\n7\n' })
    expect([reply.status, reply.body]).toEqual([204, ''])
    expect(reply.headers.get('location')).toBe(`${s3.s3.endpoint}/box/landing%2Forders.csv`)
    expect(await read('landing/orders.csv')).toBe('id\n7\n')
    const object = { Bucket: 'box', Key: 'landing/orders.csv' }
    const head = await s3.client.send(new HeadObjectCommand(object))
    expect(head).toMatchObject({ ContentType: 'text/csv', ETag: reply.headers.get('etag') })
    expect(Buffer.from(head.Metadata?.['origin'] ?? '', 'latin1').toString()).toBe('Zürich')
  })

  it('puts the last part of the file name where the key has the variable filename', async () => {
    const form = await presign({ Key: 'landing/$'.concat('{filename}') })
    expect((await post(form, { filename: 'C:\\exports\\mai $& 1.csv' })).status).toBe(204)
    expect(await read('landing/mai $& 1.csv')).toBe('id\n1\n')
  })

  it('is answered with the status that it asks for', async () => {
    const asks = async (status: string) => post(await presign({ Fields: { success_action_status: status } }))
    expect(await asks('200')).toMatchObject({ status: 200, body: '' })
    expect(await asks('404')).toMatchObject({ status: 204, body: '' })
    const created = await asks('201')
    expect(created.status).toBe(201)
    expect(created.body).toMatch(
      /<PostResponse .*<Bucket>box<\/Bucket><Key>landing\/orders.csv<\/Key><ETag>.*<\/ETag><\/PostResponse>$/,
    )
  })

  it('leads to the page that it names, and to none that is no address', async () => {
    const Fields = { success_action_redirect: 'https://example.com/done?a=1' }
    const reply = await post(await presign({ Fields }))
    expect(reply.status).toBe(303)
    const page = new URL(reply.headers.get('location') ?? '')
    expect(Object.fromEntries(page.searchParams)).toEqual({
      ...{ a: '1', bucket: 'box', key: 'landing/orders.csv' },
      etag: reply.headers.get('etag'),
    })
    expect((await post(await presign({ Fields: { success_action_redirect: 'done' } }))).status).toBe(204)
  })

  it('is refused with tags', async () => {
    expect(await post(await presign({ Fields: { tagging: '<Tagging/>' } }))).toMatchObject({ status: 501 })
  })

  it('has the rights of the key that signed it', async () => {
    const session = await s3.s3.assumeRole({ roleArn: 'arn:aws:iam::000000000000:role/drop' })
    const client = s3.clientOf(session)
    expect((await post(await presign({}, client))).status).toBe(204)
    expect(await post(await presign({ Key: 'elsewhere' }, client))).toMatchObject({
      status: 403,
      code: 'AccessDenied',
    })
    const { url, fields } = await presign({}, client)
    const { 'X-Amz-Security-Token': _, ...tokenless } = fields
    expect((await post({ url, fields: tokenless })).status).toBe(403)
  })

  it('names its bucket in the host as well', async () => {
    const { fields } = await presign({ Key: 'landing/by-host.csv' })
    const boundary = 'edge'
    const parts = [...Object.entries(fields), ['file', 'x']].map(
      ([name, value]) =>
        `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    )
    const body = `${parts.join('')}--${boundary}--\r\n`
    expect(await raw(body, { host: 'box.localhost', path: '/', boundary })).toContain('204 No Content')
    expect(await read('landing/by-host.csv')).toBe('x')
  })
})

/** Sends a request as it is, and gives the whole answer. A body shorter than `length` ends with its connection. */
const raw = async (
  body: string,
  { host = 'localhost', path = '/box', boundary = 'edge', length = body.length } = {},
) => {
  const { hostname, port } = new URL(s3.s3.endpoint)
  const socket = connect(Number(port), hostname)
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: ${host}`,
    'Connection: close',
    `Content-Type: multipart/form-data; boundary=${boundary}`,
    `Content-Length: ${length}`,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  if (body.length < length) socket.end()
  return text(socket)
}

/** A form whose policy is what a client wrote by hand. */
const withPolicy = (policy: string, more: Fields = {}) => {
  const date = new Date().toISOString().slice(0, 10).replaceAll('-', '')
  const scope = `${date}/us-east-1/s3/aws4_request`
  const encoded = Buffer.from(policy).toString('base64')
  const key = scope
    .split('/')
    .reduce<string | Buffer>(
      (secret, part) => createHmac('sha256', secret).update(part).digest(),
      `AWS4${testRoot.secretAccessKey}`,
    )
  const fields: Fields = {
    key: 'by-hand',
    'x-amz-algorithm': 'AWS4-HMAC-SHA256',
    'x-amz-credential': `${testRoot.accessKeyId}/${scope}`,
    'x-amz-date': `${date}T000000Z`,
    policy: encoded,
    'x-amz-signature': createHmac('sha256', key).update(encoded).digest('hex'),
    ...more,
  }
  return { url: `${s3.s3.endpoint}/box`, fields }
}
const signing = ['x-amz-algorithm', 'x-amz-credential', 'x-amz-date'].map(name => [
  'starts-with',
  `$${name}`,
  '',
])
const future = '2999-01-01T00:00:00.000Z'

describe('a posted form is refused', () => {
  it.each<[string, Conditions, Fields, string]>([
    [
      'another value than an exact one',
      [{ 'x-amz-meta-a': '1' }],
      { 'x-amz-meta-a': '2' },
      'Policy Condition failed: ["eq", "$x-amz-meta-a", "1"]',
    ],
    [
      'another value than eq',
      [['eq', '$acl', 'private']],
      { acl: 'public-read' },
      'Policy Condition failed: ["eq", "$acl", "private"]',
    ],
    [
      'another beginning',
      [['starts-with', '$key', 'landing/']],
      { key: 'elsewhere' },
      'Policy Condition failed',
    ],
    [
      'a list with another type',
      [['starts-with', '$Content-Type', 'text/']],
      { 'Content-Type': 'text/csv, image/png' },
      'Policy Condition failed',
    ],
    [
      'a missing field',
      [['starts-with', '$Content-Type', '']],
      {},
      'Policy Condition failed: ["starts-with", "$content-type", ""]',
    ],
    ['a field without a condition', [], { 'x-amz-meta-more': '1' }, 'Extra input fields: x-amz-meta-more'],
    ['another bucket', [{ bucket: 'other' }], {}, 'Policy Condition failed: ["eq", "$bucket", "other"]'],
  ])('for %s', async (_, Conditions, more, reason) => {
    const reply = await post(await presign({ Key: 'refused', Conditions }), { more })
    expect([reply.status, reply.code]).toEqual([403, 'AccessDenied'])
    expect(reply.message?.replaceAll('&quot;', '"').replaceAll(',"', ', "')).toContain(
      `Invalid according to Policy: ${reason}`,
    )
    await expect(read('refused')).rejects.toMatchObject({ name: 'NoSuchKey' })
  })

  it('ignores a field that asks to be ignored', async () => {
    expect((await post(await presign(), { more: { 'x-ignore-me': '1' } })).status).toBe(204)
  })

  it('for a file outside of its range of bytes, and keeps nothing of it', async () => {
    const before = await dataFiles(s3.dataDir)
    const limited = (least: number, most: number) =>
      presign({ Key: 'refused', Conditions: [['content-length-range', least, most]] })
    const large = await post(await limited(0, 4))
    expect([large.status, large.code, large.body]).toEqual([
      400,
      'EntityTooLarge',
      expect.stringContaining('<MaxSizeAllowed>4<'),
    ])
    const small = await post(await limited(6, 100_000))
    expect([small.status, small.code, small.body]).toEqual([
      400,
      'EntityTooSmall',
      expect.stringContaining('<MinSizeAllowed>6<'),
    ])
    expect((await post(await limited(6, 6))).code).toBe('EntityTooSmall')
    expect((await post(await limited(5, 100_000))).status).toBe(204)
    expect((await dataFiles(s3.dataDir)).length).toBe(before.length + 1)
  })

  it('after its time, with a wrong signature, or with no signature', async () => {
    const expired = withPolicy(
      JSON.stringify({ expiration: '2020-01-01T00:00:00Z', conditions: [{ key: 'by-hand' }, ...signing] }),
    )
    expect(await post(expired)).toMatchObject({
      status: 403,
      message: 'Invalid according to Policy: Policy expired.',
    })
    const { url, fields } = await presign()
    const changed = Buffer.from(JSON.stringify({ expiration: future, conditions: [] })).toString('base64')
    expect(await post({ url, fields: { ...fields, Policy: changed } })).toMatchObject({
      status: 403,
      code: 'SignatureDoesNotMatch',
    })
    expect(await post({ url, fields: { key: 'x' } })).toMatchObject({ status: 403, code: 'AccessDenied' })
    const { 'X-Amz-Signature': _, ...unsigned } = fields
    expect(await post({ url, fields: unsigned })).toMatchObject({ status: 400, code: 'InvalidArgument' })
  })

  it.each([
    ['is no JSON', 'expiration'],
    ['has no expiration', '{"conditions":[]}'],
    ['has an unknown member', `{"expiration":"${future}","conditions":[],"other":1}`],
    ['has an unknown condition', `{"expiration":"${future}","conditions":[["ends-with","$key",".csv"]]}`],
    ['has two names in one condition', `{"expiration":"${future}","conditions":[{"key":"a","acl":"b"}]}`],
  ])('when its policy %s', async (_, policy) => {
    expect(await post(withPolicy(policy))).toMatchObject({ status: 400, code: 'InvalidPolicyDocument' })
  })

  it('but not for a dollar that its policy escapes', async () => {
    const conditions = JSON.stringify([
      { key: 'by-hand' },
      ...signing,
      ['eq', '$x-amz-meta-price', 'DOLLAR5'],
    ])
    const policy = `{"expiration":"${future}","conditions":${conditions.replace('DOLLAR', '\\$')}}`
    expect((await post(withPolicy(policy, { 'x-amz-meta-price': '$5' }))).status).toBe(204)
  })

  it('for a missing key, too large fields, two files or none', async () => {
    const { url, fields } = await presign()
    const { key: _, ...keyless } = fields
    expect(await post({ url, fields: keyless })).toMatchObject({ status: 400, code: 'InvalidArgument' })
    const more = { 'x-ignore-1': 'x'.repeat(15_000), 'x-ignore-2': 'x'.repeat(15_000) }
    expect(await post({ url, fields }, { more })).toMatchObject({
      status: 400,
      code: 'MaxPostPreDataLengthExceededError',
    })
    const two = new FormData()
    for (const [name, value] of Object.entries(fields)) two.append(name, value)
    for (const content of ['1', '2']) two.append('file', new Blob([content]), 'a')
    const reply = await fetch(url, { method: 'POST', body: two })
    expect([reply.status, await reply.text()]).toEqual([400, expect.stringContaining('exactly one file')])
    const none = new FormData()
    none.append('key', 'x')
    expect(await (await fetch(url, { method: 'POST', body: none })).text()).toContain('exactly one file')
  })

  it('when it does not come to its end, and keeps nothing of it', async () => {
    const { fields } = await presign({ Key: 'cut' })
    const parts = Object.entries(fields).map(
      ([name, value]) => `--edge\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    )
    const file = '--edge\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhalf a f'
    const before = await dataFiles(s3.dataDir)
    expect(await raw(`${parts.join('')}${file}`)).toContain('<Code>MalformedPOSTRequest</Code>')
    expect(await raw('no form at all')).toContain('<Code>MalformedPOSTRequest</Code>')
    await raw(`${parts.join('')}${file}`, { length: 1_000_000 }) // The client dies half-way.
    await expect(read('cut')).rejects.toMatchObject({ name: 'NoSuchKey' })
    // The server learns a little later that nothing more comes.
    await eventually(async () => expect(await dataFiles(s3.dataDir)).toEqual(before))
  })

  it('for another kind of address: an object, or a query', async () => {
    const { url, fields } = await presign()
    expect((await post({ url: `${s3.s3.endpoint}/box/key`, fields })).status).toBe(403)
    expect((await post({ url: `${url}?acl`, fields })).status).toBe(403)
    expect(await post({ url: `${s3.s3.endpoint}/nothing`, fields })).toMatchObject({ code: 'AccessDenied' })
  })
})
