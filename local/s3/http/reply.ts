import type { ServerResponse } from 'node:http'
import type { S3Error } from '../errors.ts'
import { buildXml, type XmlNode } from '../xml/build-xml.ts'

/** Those that are undefined are left out. */
type ReplyHeaders = Readonly<Record<string, string | undefined>>

/** The answer of an operation. A streamed body has its length in `content-length`. */
export interface Reply {
  status: number
  headers?: ReplyHeaders
  body?: string | StreamingBody
}

interface StreamingBody {
  /** Each piece is valid until the next one is read. */
  bytes: AsyncIterable<Buffer>
  /** Called when the body was sent, or when sending failed. */
  release: () => void
}

const s3Namespace = 'http://s3.amazonaws.com/doc/2006-03-01/'

export const xmlReply = (root: string, content: XmlNode, headers: ReplyHeaders = {}): Reply => ({
  status: 200,
  headers: { 'content-type': 'application/xml', ...headers },
  body: buildXml(root, content, s3Namespace),
})

export const errorReply = (error: S3Error, path: string, requestId: string): Reply => ({
  status: error.status,
  headers: { 'content-type': 'application/xml', ...error.headers },
  body: buildXml('Error', {
    Code: error.code,
    Message: error.message,
    ...error.details,
    Resource: path,
    RequestId: requestId,
    HostId: requestId,
  }),
})

/** Sends the reply. Throws only when a streaming body breaks off; then the connection is gone too. */
export const sendReply = async (
  response: ServerResponse,
  { status, headers = {}, body = '' }: Reply,
  common: ReplyHeaders,
  isHead: boolean,
): Promise<void> => {
  const mayHaveBody = !isHead && status !== 204 && status !== 304
  const length = typeof body === 'string' && mayHaveBody ? String(Buffer.byteLength(body)) : undefined
  const all = Object.entries({ ...common, 'content-length': length, ...headers })
  try {
    response.writeHead(status, Object.fromEntries(all.filter(([, value]) => value !== undefined)))
    if (!mayHaveBody) response.end()
    else if (typeof body === 'string') response.end(body)
    else await sendBytes(response, body.bytes)
  } finally {
    if (typeof body !== 'string') body.release()
  }
}

/** Reads the next piece only when the kernel has taken the last one, because the buffer is reused. */
const sendBytes = async (response: ServerResponse, bytes: AsyncIterable<Buffer>): Promise<void> => {
  const gone = new Promise<never>((_, reject) => {
    response.once('close', () =>
      reject(new Error('The connection was closed before the whole body was sent')),
    )
  })
  gone.catch(() => undefined) // Nothing waits for it after the last piece.
  for await (const piece of bytes) {
    const taken = new Promise<void>((resolve, reject) => {
      response.write(piece, error => (error ? reject(error) : resolve()))
    })
    await Promise.race([taken, gone])
  }
  response.end()
}
