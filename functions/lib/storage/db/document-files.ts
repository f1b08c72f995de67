import { createHash } from 'node:crypto'
import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { z } from 'zod'
import { documentPrefix } from './document-prefix.ts'

/** A text in an item, or the key of the object that holds it. */
export const storedText = z.union([z.object({ text: z.string() }), z.object({ key: z.string() })])
export type StoredText = z.infer<typeof storedText>

/**
 * Keeps texts that are too long for an item as objects named by the hash of their content: writing one twice is
 * harmless, and equal texts are one object. None is ever changed.
 */
export const createDocumentFiles = (s3: S3Client, bucket: string) => ({
  /** `maxItemBytes`: as JSON, escapes included, since that is how the item's size is estimated. */
  async keep(text: string, maxItemBytes: number): Promise<StoredText> {
    if (Buffer.byteLength(JSON.stringify(text)) <= maxItemBytes) return { text }
    const key = `${documentPrefix}${createHash('sha256').update(text).digest('hex')}.json`
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
