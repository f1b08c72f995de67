import { NoSuchUpload, S3ServiceException } from '@aws-sdk/client-s3'
import { UserError } from '../../errors/errors.ts'

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
