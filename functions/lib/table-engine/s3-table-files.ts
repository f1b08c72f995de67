import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { NoSuchKey, type S3Client } from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
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
    // A table's file is some MB.
    upload: (path, key) => putFile(s3, path, { Bucket: tablesBucket, Key: key }),
    writeDataFile: async (path, { bucket, key }) => {
      const { size } = await stat(path)
      const target = { Bucket: bucket, Key: key }
      if (size <= WHOLE_BYTES) return putFile(s3, path, target)
      const Body = createReadStream(path, { highWaterMark: 1024 * 1024 })
      await new Upload({
        client: s3,
        params: { ...target, Body },
        partSize: Math.max(WHOLE_BYTES, Math.ceil(size / MAX_PARTS)),
        queueSize: PARTS_IN_MEMORY,
      }).done()
      return size
    },
  }
}

/** Up to this size a file is sent in one request. A larger one is sent in parts. */
const WHOLE_BYTES = 32 * 1024 * 1024
const PARTS_IN_MEMORY = 2
// S3 User Guide, "Multipart upload limits".
const MAX_PARTS = 10_000

export const createFileMissing = (key: string, cause: Error): UserError =>
  new UserError(
    'storage.importFileMissing',
    `The data to import is not in the file storage (${key}). Upload it, then import again.`,
    { cause },
  )
