import { createHash, createHmac } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { testRoot } from '../../support/embedded-s3.ts'

export interface RawReply {
  status: number
  headers: Record<string, string>
  body: string
}

export interface RawRequest {
  method: string
  /** Path and query as they go over the wire. */
  path: string
  headers?: Record<string, string>
  body?: string | Buffer
}

/** Sends a request as it is, over a connection of its own. */
export const send = async (
  endpoint: string,
  { method, path, headers = {}, body }: RawRequest,
): Promise<RawReply> => {
  const { hostname, port } = new URL(endpoint)
  const { promise, resolve, reject } = Promise.withResolvers<RawReply>()
  const request = httpRequest({ hostname, port, method, path, headers, agent: false }, response => {
    const pieces: Buffer[] = []
    response.on('data', piece => pieces.push(piece))
    response.on('error', reject)
    response.on('end', () =>
      resolve({
        status: response.statusCode ?? 0,
        headers: Object.fromEntries(
          Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
        ),
        body: Buffer.concat(pieces).toString(),
      }),
    )
  })
  request.on('error', reject)
  request.end(body)
  return promise
}

export interface SigningOptions {
  credentials?: { accessKeyId: string; secretAccessKey: string; sessionToken?: string }
  date?: Date
  region?: string
  service?: string
  /** Value of x-amz-content-sha256; by default the hash of the body. */
  payload?: string
  /** Left out of the signed headers though it is sent. */
  unsigned?: string[]
}

const hex = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex')
const hmac = (key: string | Buffer, data: string): Buffer => createHmac('sha256', key).update(data).digest()
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

/** Written from the description of Signature Version 4, apart from the server's code, so that the two check each other. */
export const sign = (
  endpoint: string,
  request: RawRequest,
  options: SigningOptions = {},
): { request: RawRequest; signature: string; key: Buffer; scope: string; date: string } => {
  const credentials: NonNullable<SigningOptions['credentials']> = options.credentials ?? testRoot
  const token = credentials.sessionToken
  const { date = new Date(), region = 'us-east-1', service = 's3' } = options
  const longDate = `${date.toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`
  const scope = `${longDate.slice(0, 8)}/${region}/${service}/aws4_request`
  const payload = options.payload ?? hex(request.body ?? '')
  const headers: Record<string, string> = {
    host: new URL(endpoint).host,
    ...request.headers,
    'x-amz-date': longDate,
    'x-amz-content-sha256': payload,
    ...(token === undefined ? {} : { 'x-amz-security-token': token }),
  }
  const signed = Object.keys(headers)
    .map(name => name.toLowerCase())
    .filter(name => !(options.unsigned ?? []).includes(name))
    .sort()
  const lower = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
  const [path = '', query = ''] = request.path.split(/\?(.*)/s)
  const canonicalQuery = [...new URLSearchParams(query)]
    .map(([name, value]): [string, string] => [encode(name), encode(value)])
    .sort(([a, x], [b, y]) => (a === b ? compare(x, y) : compare(a, b)))
    .map(pair => pair.join('='))
    .join('&')
  const canonical = [
    request.method,
    decodeURIComponent(path).split('/').map(encode).join('/'),
    canonicalQuery,
    ...signed.map(name => `${name}:${(lower[name] ?? '').trim().replace(/ +/g, ' ')}`),
    '',
    signed.join(';'),
    payload,
  ].join('\n')
  const key = scope
    .split('/')
    .reduce<Buffer | string>((secret, part) => hmac(secret, part), `AWS4${credentials.secretAccessKey}`)
  const signature = hmac(
    Buffer.from(key),
    `AWS4-HMAC-SHA256\n${longDate}\n${scope}\n${hex(canonical)}`,
  ).toString('hex')
  headers['authorization'] =
    `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${signed.join(';')}, Signature=${signature}`
  return { request: { ...request, headers }, signature, key: Buffer.from(key), scope, date: longDate }
}

/** Signs and sends. */
export const sendSigned = (
  endpoint: string,
  request: RawRequest,
  options?: SigningOptions,
): Promise<RawReply> => send(endpoint, sign(endpoint, request, options).request)

/** The code of an XML error body. */
export const codeOf = ({ body }: RawReply): string | undefined => /<Code>(\w+)<\/Code>/.exec(body)?.[1]

/** Signs the chunks of an aws-chunked body and puts them in their framing. */
export const signChunks = (
  { signature, key, scope, date }: ReturnType<typeof sign>,
  chunks: readonly Buffer[],
  trailer?: { name: string; value: string },
): Buffer => {
  let previous = signature
  const pieces: Buffer[] = []
  for (const chunk of [...chunks, Buffer.alloc(0)]) {
    const text = ['AWS4-HMAC-SHA256-PAYLOAD', date, scope, previous, hex(''), hex(chunk)].join('\n')
    previous = hmac(key, text).toString('hex')
    pieces.push(Buffer.from(`${chunk.length.toString(16)};chunk-signature=${previous}\r\n`), chunk)
    if (chunk.length > 0) pieces.push(Buffer.from('\r\n'))
  }
  if (trailer !== undefined) {
    const line = `${trailer.name}:${trailer.value}\n`
    const text = ['AWS4-HMAC-SHA256-TRAILER', date, scope, previous, hex(line)].join('\n')
    pieces.push(
      Buffer.from(
        `${trailer.name}:${trailer.value}\r\nx-amz-trailer-signature:${hmac(key, text).toString('hex')}\r\n`,
      ),
    )
  }
  pieces.push(Buffer.from('\r\n'))
  return Buffer.concat(pieces)
}
