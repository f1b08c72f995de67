import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { z } from 'zod'
import { hexDigest } from '../../digests.ts'
import { documentPrefix } from './document-prefix.ts'

/** A text in the item, or the key of the object that holds it. */
export const storedText = z.union([z.object({ text: z.string() }), z.object({ key: z.string() })])
type StoredText = z.infer<typeof storedText>

/**
 * Stores texts that are too long for an item as objects named by the hash of their content. Writing is idempotent,
 * equal texts share an object, and no object ever changes.
 */
export const createDocumentFiles = (s3: S3Client, bucket: string) => ({
  /** `maxItemBytes`: length as JSON, with escapes, because the item's size is estimated so. */
  async keep(text: string, maxItemBytes: number): Promise<StoredText> {
    if (Buffer.byteLength(JSON.stringify(text)) <= maxItemBytes) return { text }
    const key = `${documentPrefix}${hexDigest(text)}.json`
    await s3.send(
      new PutObjectCommand({ Bucket: bucket, Key: key, Body: text, ContentType: 'application/json' }),
    )
    return { key }
  },

  async load(stored: StoredText): Promise<string> {
    if ('text' in stored) return stored.text
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: stored.key }))
    if (!Body) throw new Error(`The document ${stored.key} has no body`)
    return Body.transformToString()
  },
})

export type DocumentFiles = ReturnType<typeof createDocumentFiles>
