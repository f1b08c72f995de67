import { NoSuchKey, type S3Client } from '@aws-sdk/client-s3'
import { directRanges } from '../cloud/multipart/direct-ranges.ts'
import { putFile } from '../cloud/multipart/file-body.ts'
import { UserError } from '../errors/errors.ts'
import type { TableFiles } from './files/table-files.ts'
import { readObject } from './read-object.ts'

/** Data files anywhere in S3, and the tables' files in one bucket. */
export const createS3TableFiles = ({
  s3,
  tablesBucket,
}: {
  s3: S3Client
  tablesBucket: string
}): TableFiles => {
  const { receive } = directRanges()
  return {
    readDataFile: async function* (address, range) {
      try {
        yield* readObject(s3, address, { range, receive })
      } catch (error) {
        throw error instanceof NoSuchKey ? createFileMissing(address.key, error) : error
      }
    },
    readRange: (key, range) => readObject(s3, { bucket: tablesBucket, key }, { range }),
    locationOf: key => `s3://${tablesBucket}/${key}`,
    // A file of a table, and a slice, has some MB.
    upload: (path, key) => putFile(s3, path, { Bucket: tablesBucket, Key: key }),
    writeDataFile: (path, { bucket, key }) => putFile(s3, path, { Bucket: bucket, Key: key }),
  }
}

export const createFileMissing = (key: string, cause: Error): UserError =>
  new UserError(
    'storage.importFileMissing',
    `The data to import is not in the file storage (${key}). Upload it, then import again.`,
    { cause },
  )
