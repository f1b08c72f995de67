import { UploadPartCommand } from '@aws-sdk/client-s3'
import { type FileBody, fileBodyFields, sendFileBody } from '../../functions/lib/aws/multipart/file-body.ts'
import type { MultipartUpload, StoredPart } from '../../functions/lib/aws/multipart/multipart-upload.ts'
import type { PartRange } from '../../functions/lib/aws/multipart/plan-parts.ts'

interface FilePart extends FileBody {
  range: PartRange
}

/** Sends a range of a file as one part, a piece at a time. */
export const sendFilePart = async (
  { s3, bucket, key, uploadId }: MultipartUpload,
  part: FilePart,
): Promise<StoredPart> => {
  const { partNumber } = part.range
  const fields = fileBodyFields(part)
  const target = { Bucket: bucket, Key: key, UploadId: uploadId, PartNumber: partNumber }
  const { ETag = '' } = await sendFileBody(
    new UploadPartCommand({ ...target, ...fields }),
    part,
    (command, options) => s3.send(command, options),
  )
  return { partNumber, etag: ETag, bytes: fields.ContentLength, checksum: part.checksum }
}
