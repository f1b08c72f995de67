import { GetObjectCommand, NoSuchKey, type S3Client } from '@aws-sdk/client-s3'
import * as z from 'zod/mini'
import { UserError } from '../../errors/errors.ts'
import { readJson } from '../../json/read-json.ts'

/** See docs/reference/storage-api.md#sliced-files. Other keys, which clients add, are ignored. */
const manifestSchema = z.object({ entries: z.array(z.object({ url: z.string() })) })

/** Where a slice is. */
export interface ManifestEntry {
  bucket: string
  key: string
}

/** Room for more than a hundred thousand slices: an entry has about 150 bytes. */
const MAX_MANIFEST_BYTES = 32 * 1024 * 1024

/**
 * The slices of a sliced file, in the order of its manifest at `<key>manifest`.
 *
 * Errors: `storage.manifestFileMissing`, `storage.manifestFileInvalid`, and `storage.unauthorizedAccess` for a manifest
 * that names anything outside the file's own prefix. Its author could otherwise read whatever the service can read.
 */
export const readManifest = async (s3: S3Client, bucket: string, key: string): Promise<ManifestEntry[]> => {
  const parsed = manifestSchema.safeParse(readJson(await readText(s3, bucket, `${key}manifest`)))
  if (!parsed.success) throw invalid('it must be JSON of the form {"entries":[{"url":"s3://…"}]}')
  return parsed.data.entries.map(({ url }) => {
    const prefix = `s3://${bucket}/${key}`
    if (!url.startsWith(prefix))
      throw new UserError(
        'storage.unauthorizedAccess',
        `The manifest names "${url.slice(0, 300)}", which lies outside the file. Slices lie below "${prefix}".`,
      )
    return { bucket, key: url.slice(`s3://${bucket}/`.length) }
  })
}

const readText = async (s3: S3Client, bucket: string, key: string): Promise<string> => {
  try {
    const { Body, ContentLength = 0 } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }))
    if (ContentLength > MAX_MANIFEST_BYTES) throw invalid(`it is larger than ${MAX_MANIFEST_BYTES} bytes`)
    return (await Body?.transformToString()) ?? ''
  } catch (error) {
    if (!(error instanceof NoSuchKey)) throw error
    throw new UserError(
      'storage.manifestFileMissing',
      'The manifest of the sliced file was not uploaded. Upload it, after the slices, to the file’s key with "manifest" appended.',
      { cause: error },
    )
  }
}

const invalid = (reason: string) =>
  new UserError('storage.manifestFileInvalid', `The manifest of the sliced file cannot be read: ${reason}.`)
