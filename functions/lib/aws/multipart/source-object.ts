import { GetObjectCommand, type S3Client, S3ServiceException } from '@aws-sdk/client-s3'
import { TransientError, UserError } from '../../errors/errors.ts'
import { sourceChanged } from './source-changed.ts'

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

/** How often in a row a request for the rest of a range may bring no byte. */
const ATTEMPTS = 3

/**
 * Reads a range into `target`, which has its length. When the connection breaks, another request reads the rest.
 *
 * The SDK retries requests but not bodies. Throws `UserError` (`source.changed`) when the object no longer has its
 * ETag, `TransientError` (`source.cutOff`) when S3 keeps sending less than requested.
 */
export const readRange = async (
  { source, firstByte, lastByte }: ObjectRange,
  target: Uint8Array,
): Promise<void> => {
  let offset = 0
  for (let attempt = 1; offset < target.length; attempt++) {
    try {
      const { Body } = await source.s3
        .send(
          new GetObjectCommand({
            Bucket: source.bucket,
            Key: source.key,
            VersionId: source.versionId,
            IfMatch: source.etag,
            Range: `bytes=${firstByte + offset}-${lastByte}`,
          }),
        )
        .catch(sourceChanged(source))
      // On Node the SDK's bodies are Readable streams.
      for await (const bytes of Body as AsyncIterable<Uint8Array>) {
        target.set(bytes, offset)
        offset += bytes.length
        attempt = 0
      }
      if (offset < target.length && attempt >= ATTEMPTS) throw cutOff(source, offset, target.length)
    } catch (error) {
      const isAnswer = error instanceof S3ServiceException || error instanceof UserError
      if (isAnswer || attempt >= ATTEMPTS) throw error
    }
  }
}

const cutOff = ({ bucket, key }: SourceObject, got: number, expected: number): TransientError =>
  new TransientError('source.cutOff', `S3 sent ${got} of ${expected} bytes of ${bucket}/${key}`)
