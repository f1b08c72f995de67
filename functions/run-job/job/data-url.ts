import { Readable } from 'node:stream'
import { HeadObjectCommand, NotFound, type S3Client } from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { type Dispatcher, request } from 'undici'
import { UserError } from '../../lib/errors/errors.ts'
import { checkHost } from '../../lib/extractor/requests/http/address-guard.ts'
import { toNetworkFailure } from '../../lib/extractor/requests/http/network-failure.ts'
import type { ObjectAddress } from '../../lib/table-engine/files/table-files.ts'

interface OpenDataUrlOptions {
  /** Made with the guard: it refuses names that lead to private addresses. */
  dispatcher: Dispatcher
  /** Private hosts that may be read all the same. */
  allowedHosts: readonly string[]
  limitBytes: number
  signal: AbortSignal
}

interface DataUrlLimits {
  /** Largest content in bytes. */
  bytes: number
  /** For all of it, from the first connection to the last byte. */
  milliseconds: number
}

export interface CopyDataUrlOptions extends Omit<OpenDataUrlOptions, 'signal' | 'limitBytes'> {
  s3: S3Client
  limits: DataUrlLimits
}

/** The time leaves a function some of its fifteen minutes to load what was copied. */
export const dataUrlLimits: DataUrlLimits = { bytes: 2 * 1024 ** 3, milliseconds: 8 * 60_000 }

// S3: at most 10,000 parts of at least 5 MiB (User Guide, "Multipart upload limits").
const PART_BYTES = 16 * 1024 * 1024
const PARTS_IN_MEMORY = 2

/**
 * Copies what an address holds to an object, as a stream. An object that is there already is left as it is: a job that
 * runs again works on the same bytes. A copy that breaks off leaves nothing.
 *
 * Throws `UserError`: `storage.dataUrl.forbidden`, `storage.dataUrl.failed`, `storage.dataUrl.tooLarge`.
 */
export const copyDataUrl = async (
  dataUrl: string,
  { bucket: Bucket, key: Key }: ObjectAddress,
  { s3, limits, ...options }: CopyDataUrlOptions,
): Promise<void> => {
  if (await isThere(s3, { bucket: Bucket, key: Key })) return
  const signal = AbortSignal.timeout(limits.milliseconds)
  const content = await openDataUrl(dataUrl, { ...options, signal, limitBytes: limits.bytes })
  const upload = new Upload({
    client: s3,
    params: { Bucket, Key, Body: Readable.from(content, { objectMode: false }) },
    partSize: PART_BYTES,
    queueSize: PARTS_IN_MEMORY,
  })
  await upload.done()
}

const isThere = async (s3: S3Client, { bucket, key }: ObjectAddress): Promise<boolean> => {
  try {
    await s3.send(new HeadObjectCommand({ Bucket: bucket, Key: key }))
    return true
  } catch (error) {
    if (error instanceof NotFound) return false
    throw error
  }
}

const MAX_REDIRECTS = 5
const REDIRECTS = new Set([301, 302, 303, 307, 308])

/**
 * The content of an address, with every redirect checked like the first address.
 *
 * Errors name the address without its query, which may hold a signature.
 */
const openDataUrl = async (
  dataUrl: string,
  options: OpenDataUrlOptions,
): Promise<AsyncGenerator<Uint8Array>> => {
  const { dispatcher, allowedHosts, limitBytes, signal } = options
  let url = new URL(dataUrl)
  try {
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      if (!/^https?:$/.test(url.protocol)) throw failed(url, 'it is no http or https address')
      checkHost(url.hostname, allowedHosts)
      const headers = { 'user-agent': 'millrace', 'accept-encoding': 'identity' }
      const { statusCode, headers: replied, body } = await request(url, { dispatcher, headers, signal })
      const location = replied['location']
      if (REDIRECTS.has(statusCode) && typeof location === 'string') {
        discard(body)
        url = redirectTarget(url, location)
        continue
      }
      if (statusCode !== 200) {
        discard(body)
        throw failed(url, `it answered with status ${statusCode}`)
      }
      if (Number(replied['content-length'] ?? 0) > limitBytes) {
        discard(body)
        throw tooLarge(url, limitBytes)
      }
      return limited(body, url, limitBytes)
    }
  } catch (error) {
    throw toUserError(error, url)
  }
  throw failed(url, `it redirects more than ${MAX_REDIRECTS} times`)
}

/** Ends a response that nobody reads. Its stream reports that as an error, which is none. */
const discard = (body: Readable): void => {
  body.on('error', () => {})
  body.destroy()
}

const redirectTarget = (from: URL, location: string): URL => {
  const to = URL.parse(location, from.href)
  if (!to) throw failed(from, 'it redirects to something that is no address')
  if (from.protocol === 'https:' && to.protocol === 'http:')
    throw failed(from, 'it redirects to an address without encryption')
  return to
}

async function* limited(
  body: AsyncIterable<Uint8Array>,
  url: URL,
  limitBytes: number,
): AsyncGenerator<Uint8Array> {
  let bytes = 0
  try {
    for await (const chunk of body) {
      bytes += chunk.length
      if (bytes > limitBytes) throw tooLarge(url, limitBytes)
      yield chunk
    }
  } catch (error) {
    throw toUserError(error, url)
  }
}

/** What cannot be read is for the caller to see, whatever the reason: the job fails, and the table stays as it was. */
const toUserError = (error: unknown, url: URL): unknown => {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (!(cause instanceof UserError)) continue
    if (cause.code !== 'extractor.address.forbidden') return cause
    return new UserError(
      'storage.dataUrl.forbidden',
      `The address ${shown(url)} cannot be read: ${url.hostname} is not on the public internet.`,
      { cause },
    )
  }
  const failure = toNetworkFailure(error)
  return failure ? failed(url, failure.message, error) : error
}

const failed = (url: URL, reason: string, cause?: unknown): UserError =>
  new UserError('storage.dataUrl.failed', `The address ${shown(url)} could not be read: ${reason}.`, {
    cause,
  })

const tooLarge = (url: URL, limitBytes: number): UserError =>
  new UserError(
    'storage.dataUrl.tooLarge',
    `The address ${shown(url)} holds more than ${limitBytes} bytes. Upload the data as a file, then load that.`,
  )

const shown = ({ origin, pathname }: URL): string => `${origin}${pathname}`.slice(0, 500)
