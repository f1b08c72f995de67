import { GetObjectCommand, NoSuchUpload, type S3Client, S3ServiceException } from '@aws-sdk/client-s3'
import { TransientError, UserError } from '../../errors/errors.ts'

/** One object, pinned to one content by its ETag. */
export interface SourceObject {
  s3: S3Client
  bucket: string
  key: string
  versionId?: string | undefined
  etag: string
  bytes: number
}

/** Bytes `firstByte` to `lastByte`, both included, of one object. */
export interface ObjectRange {
  source: SourceObject
  firstByte: number
  lastByte: number
}

/** Sends the request and puts the bytes of its body into `target`, as far as they come. `onBytes`: that many more are there. */
export type ReceiveBody = (
  source: SourceObject,
  request: GetObjectCommand,
  target: Uint8Array,
  onBytes: (count: number) => void,
) => Promise<void>

/** How often in a row a request for the rest of a range may bring no byte. */
const ATTEMPTS = 3

/**
 * Reads a range into `target`, which has its length. When the connection breaks, another request reads the rest.
 * `receive`: default the SDK.
 *
 * The SDK retries requests but not bodies. Throws `UserError` (`source.changed`) when the object no longer has its
 * ETag, `TransientError` (`source.cutOff`) when S3 keeps sending less than requested.
 */
export const readRange = async (
  { source, firstByte, lastByte }: ObjectRange,
  target: Uint8Array,
  receive: ReceiveBody = receiveBody,
): Promise<void> => {
  let offset = 0
  for (let attempt = 1; offset < target.length; attempt++) {
    try {
      const request = new GetObjectCommand({
        Bucket: source.bucket,
        Key: source.key,
        VersionId: source.versionId,
        IfMatch: source.etag,
        Range: `bytes=${firstByte + offset}-${lastByte}`,
      })
      await receive(source, request, target.subarray(offset), count => {
        offset += count
        attempt = 0
      })
      if (offset < target.length && attempt >= ATTEMPTS) throw cutOff(source, offset, target.length)
    } catch (error) {
      const isAnswer = error instanceof S3ServiceException || error instanceof UserError
      if (isAnswer || attempt >= ATTEMPTS) throw error
    }
  }
}

export const receiveBody: ReceiveBody = async (source, request, target, onBytes) => {
  const { Body } = await source.s3.send(request).catch(sourceChanged(source))
  // On Node the SDK's bodies are Readable streams.
  let offset = 0
  for await (const bytes of (Body ?? []) as AsyncIterable<Uint8Array>) {
    target.set(bytes, offset)
    offset += bytes.length
    onBytes(bytes.length)
  }
}

const cutOff = ({ bucket, key }: SourceObject, got: number, expected: number): TransientError =>
  new TransientError('source.cutOff', `S3 sent ${got} of ${expected} bytes of ${bucket}/${key}`)

/** For `.catch`: reports an object that was replaced (412) or deleted (404) since its ETag was read. */
export const sourceChanged =
  ({ bucket, key }: { bucket: string; key: string }) =>
  (error: unknown): never => {
    if (!isChanged(error)) throw error
    throw new UserError(
      'source.changed',
      `The object ${key} in ${bucket} was replaced or deleted while it was read.`,
      {
        cause: error,
      },
    )
  }

const isChanged = (error: unknown): boolean =>
  error instanceof S3ServiceException &&
  !(error instanceof NoSuchUpload) && // Also a 404, but of the destination.
  [404, 412].includes(error.$metadata.httpStatusCode ?? 0)
