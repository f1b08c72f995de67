import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import type { CloudFacts } from '../runtime/embedded-cloud.ts'

interface DroppedObject {
  bucket: string
  key: string
  body: Buffer
  metadata: Record<string, string>
}

/** What any S3 client does. */
export const putObject = async (
  { s3, region, accessKeyId, secretAccessKey }: CloudFacts,
  { bucket, key, body, metadata }: DroppedObject,
): Promise<void> => {
  const credentials = { accessKeyId, secretAccessKey }
  const client = new S3Client({ endpoint: s3, region, credentials, forcePathStyle: true })
  try {
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: body, Metadata: metadata }))
  } finally {
    client.destroy()
  }
}
