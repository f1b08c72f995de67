import { ListMultipartUploadsCommand, type S3Client } from '@aws-sdk/client-s3'

interface UnfinishedUpload {
  key: string
  uploadId: string
  initiated: Date
}

/** The unfinished multipart uploads below a prefix. */
export async function* listUploads(
  s3: S3Client,
  bucket: string,
  prefix: string,
): AsyncGenerator<UnfinishedUpload> {
  let marker: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } = {}
  for (;;) {
    const page = await s3.send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix, ...marker }))
    for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
      if (Key !== undefined && UploadId !== undefined)
        yield { key: Key, uploadId: UploadId, initiated: Initiated ?? new Date(0) }
    }
    if (!page.IsTruncated) return
    marker = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
  }
}
