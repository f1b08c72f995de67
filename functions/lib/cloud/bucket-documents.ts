import {
  GetObjectCommand,
  NoSuchKey,
  PutObjectCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { TransientError } from '../errors/errors.ts'
import { parseJson } from '../json/parse-json.ts'
import { pauseRandomly } from '../pause-randomly.ts'

/** A writer lost the race for a document: it is not as the writer expected, and what the other one wrote counts. */
export class DocumentMoved extends Error {
  override readonly name = 'DocumentMoved'
}

/** How a document must be for a write to count: not there, with this ETag, or whatever it is. */
type Expected = 'absent' | 'any' | { etag: string }

const ATTEMPTS = 4
const PAUSES_MS = { first: 50, longest: 200 }

/** Throws what is wrong with a value. */
interface Schema<Value> {
  parse(value: unknown): Value
}

export type BucketDocuments = ReturnType<typeof createBucketDocuments>

/** JSON documents in a bucket: the one place that knows how S3 says that a condition does not hold. */
export const createBucketDocuments = (s3: S3Client, bucket: string) => {
  const read = async (key: string): Promise<{ value: unknown; etag: string } | undefined> => {
    try {
      const { Body, ETag = '' } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }))
      return { value: parseJson((await Body?.transformToString()) ?? ''), etag: ETag }
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined
      throw error
    }
  }

  const readAs = async <Value>(key: string, schema: Schema<Value>): Promise<Value | undefined> => {
    const stored = await read(key)
    return stored && schema.parse(stored.value)
  }

  /** Resolves to the ETag. Throws `DocumentMoved` when the document is not as expected. */
  const write = async (key: string, value: unknown, expected: Expected): Promise<string> => {
    const request = {
      Bucket: bucket,
      Key: key,
      Body: JSON.stringify(value),
      ContentType: 'application/json',
      ...(expected === 'absent' && { IfNoneMatch: '*' }),
      ...(typeof expected === 'object' && { IfMatch: expected.etag }),
    }
    for (let attempt = 1; ; attempt++) {
      try {
        return (await s3.send(new PutObjectCommand(request))).ETag ?? ''
      } catch (error) {
        if (isConflict(error) && attempt < ATTEMPTS) await pauseRandomly(attempt - 1, PAUSES_MS)
        else if (isConflict(error) || isMoved(error, expected))
          throw new DocumentMoved(`${key} is not as it was read`, { cause: error })
        else throw error
      }
    }
  }

  /** Resolves to false when the document is not as expected. */
  const offer = (key: string, value: unknown, expected: Expected): Promise<boolean> =>
    write(key, value, expected).then(
      () => true,
      (error: unknown) => {
        if (error instanceof DocumentMoved) return false
        throw error
      },
    )

  /**
   * Writes a document that may be another one each time: the first holds. Resolves to that. Throws `TransientError` when
   * another write was in the way and then came to nothing.
   */
  const decide = async <Value>(key: string, value: Value, schema: Schema<Value>): Promise<Value> => {
    if (await offer(key, value, 'absent')) return value
    const found = await readAs(key, schema)
    if (found !== undefined) return found
    throw new TransientError('storage.busy', `${key} was being written by somebody else, who did not end.`)
  }

  return { s3, bucket, read, readAs, write, offer, decide }
}

/** 409: another conditional write is under way, and may fail or succeed (S3 User Guide, "Conditional writes"). */
const isConflict = (error: unknown): boolean =>
  error instanceof S3ServiceException && error.name === 'ConditionalRequestConflict'

/** 412: the condition does not hold. 404, of a write that expects an ETag: the document is gone. */
const isMoved = (error: unknown, expected: Expected): boolean =>
  error instanceof S3ServiceException &&
  (error.$metadata.httpStatusCode === 412 || (typeof expected === 'object' && error.name === 'NoSuchKey'))
