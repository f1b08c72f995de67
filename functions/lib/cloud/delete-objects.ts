import { DeleteObjectsCommand, type S3Client } from '@aws-sdk/client-s3'

// S3 API Reference, "DeleteObjects".
const KEYS_IN_REQUEST = 1_000

/** Deletes objects, also while they are being listed. Idempotent. */
export const deleteObjects = async (
  s3: S3Client,
  bucket: string,
  keys: Iterable<string> | AsyncIterable<string>,
): Promise<void> => {
  let batch: { Key: string }[] = []
  const send = async (): Promise<void> => {
    const request = { Bucket: bucket, Delete: { Objects: batch, Quiet: true } }
    batch = []
    const { Errors: [first] = [] } = await s3.send(new DeleteObjectsCommand(request))
    if (first) throw new Error(`${first.Key} could not be deleted: ${first.Code}`)
  }
  for await (const Key of keys) {
    batch.push({ Key })
    if (batch.length === KEYS_IN_REQUEST) await send()
  }
  if (batch.length > 0) await send()
}
