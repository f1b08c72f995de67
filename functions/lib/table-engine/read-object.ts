import { GetObjectCommand, type S3Client, S3ServiceException } from '@aws-sdk/client-s3'
import { sourceChanged } from '../aws/multipart/source-changed.ts'
import { TransientError } from '../errors/errors.ts'
import type { ByteRange } from './parquet/footer.ts'
import type { ObjectAddress } from './table-files.ts'

/** How often in a row a request for the rest of an object may bring no byte. */
const ATTEMPTS = 3

/**
 * The bytes of an object, or of a part of it, as one stream. When the connection breaks, another request reads the rest.
 *
 * The SDK retries requests but not bodies. We tried parallel ranges: one stream already fills a function's network
 * (about 75 MB/s), and on one machine they take a third more processor time than they save.
 *
 * Throws S3's errors (such as `NoSuchKey`), and `TransientError` `s3.objectChanged` when the object is replaced during
 * the read; `UserError` `source.changed` when it no longer has the ETag of the address.
 */
export async function* readObject(
  s3: S3Client,
  address: ObjectAddress,
  range?: ByteRange,
): AsyncGenerator<Uint8Array> {
  const { bucket, key } = address
  let offset = range?.start ?? 0
  let etag = address.etag
  for (let attempt = 1; ; attempt++) {
    try {
      const { Body, ETag } = await s3.send(
        new GetObjectCommand({
          Bucket: bucket,
          Key: key,
          ...((offset > 0 || range) && { Range: `bytes=${offset}-${range ? range.end - 1 : ''}` }),
          ...(etag !== undefined && { IfMatch: etag }),
        }),
      )
      etag = ETag
      // On Node the SDK's bodies are Readable streams.
      for await (const bytes of Body as AsyncIterable<Uint8Array>) {
        attempt = 0
        offset += bytes.length
        yield bytes
      }
      return
    } catch (error) {
      if (!(error instanceof S3ServiceException) && attempt < ATTEMPTS) continue
      if (address.etag !== undefined) sourceChanged(address)(error)
      throw isPreconditionFailed(error) ? createObjectChanged(key, error) : error
    }
  }
}

const isPreconditionFailed = (error: unknown): boolean =>
  error instanceof S3ServiceException && error.$metadata.httpStatusCode === 412

const createObjectChanged = (key: string, cause: unknown): TransientError =>
  new TransientError('s3.objectChanged', `The object ${key} was replaced while it was read.`, { cause })
